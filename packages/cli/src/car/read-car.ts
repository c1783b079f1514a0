import { checkBlock, isIdentity, NotUnixFSError, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { decodeRoots } from './car-header.ts'
import { CarInput } from './car-input.ts'
import { InvalidCarError } from '../errors.ts'

/** A CAR whose header has been read. */
export interface OpenCar {
  /** Each once. */
  roots: CID[]
  /** Those of the CAR, each compared with its hash. What CIDs hold themselves is none of them. */
  blocks (): AsyncGenerator<{ cid: CID, bytes: Uint8Array }>
}

const DAG_PB = 0x70

/** How a CAR of version 2 begins, behind the length: `{ version: 2 }`. */
const PRAGMA = Buffer.from('a16776657273696f6e02', 'hex')
/** What follows it: 16 bytes of characteristics, and where the CAR of version 1 in it begins, its size, and where the index begins. */
const V2_HEADER_LENGTH = 40
const V2_LENGTH = 1 + PRAGMA.byteLength + V2_HEADER_LENGTH

/**
 * @throws {InvalidCarError} it is no CAR, has no roots, or one that is not UnixFS
 */
export async function openCar (source: AsyncIterable<Uint8Array>, name: string): Promise<OpenCar> {
  const input = new CarInput(source, name)
  const roots = await readRoots(input, name).catch(async (err: unknown) => {
    await input.close()
    throw named(name, err)
  })

  return {
    roots,
    async * blocks () {
      try {
        for (let section = await input.piece(); section != null; section = await input.piece()) {
          const { cid, bytes } = readSection(section, input)

          await checkBlock(cid, bytes).catch((err: unknown) => { throw refused(name, err) })

          if (!isIdentity(cid)) {
            yield { cid, bytes }
          }
        }
      } catch (err) {
        throw named(name, err)
      } finally {
        await input.close()
      }
    }
  }
}

async function readRoots (input: CarInput, name: string): Promise<CID[]> {
  const roots = await readHeaders(input)

  if (roots.length === 0) {
    throw new InvalidCarError(`${name} names no root: nothing says what is in it`)
  }

  for (const root of roots) {
    if (root.code !== raw.code && unmark(root).code !== DAG_PB) {
      const cause = new NotUnixFSError(root, `it has the codec 0x${root.code.toString(16)}`)
      throw new InvalidCarError(`${name} has a root that is not UnixFS: ${cause.message}`, { cause })
    }
  }

  return roots
}

async function readHeaders (input: CarInput): Promise<CID[]> {
  const first = await input.piece()
  const header = first != null && PRAGMA.equals(first) ? await readInner(input) : first

  if (header == null) {
    throw input.invalid('it is empty')
  }

  try {
    return decodeRoots(header)
  } catch (err) {
    throw input.invalid(err instanceof Error ? err.message : String(err), { cause: err })
  }
}

/** The header of the CAR of version 1 that one of version 2 holds. What lies behind that is an index. */
async function readInner (input: CarInput): Promise<Uint8Array | undefined> {
  const header = Buffer.from(await input.exactly(V2_HEADER_LENGTH))
  const [offset, size] = [header.readBigUInt64LE(16), header.readBigUInt64LE(24)].map(Number)

  if (offset < V2_LENGTH || !Number.isSafeInteger(offset + size)) {
    throw input.invalid(`its blocks are said to begin at byte ${offset}, and to have ${size} bytes`)
  }

  await input.skip(offset - V2_LENGTH)
  input.limit(size)

  return input.piece()
}

function readSection (section: Uint8Array, input: CarInput): { cid: CID, bytes: Uint8Array } {
  try {
    const [cid, bytes] = CID.decodeFirst(section)

    return { cid, bytes }
  } catch (err) {
    throw input.invalid(`a section does not begin with a CID: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }
}

function refused (name: string, err: unknown): unknown {
  if (!(err instanceof Error)) {
    return err
  }

  return new InvalidCarError(`${name} ${err.name === 'CorruptBlockError' ? 'is damaged' : 'cannot be imported'}: ${err.message}`, { cause: err })
}

/** Reading what is open names no file. */
function named (name: string, err: unknown): unknown {
  return err instanceof Error && 'syscall' in err && !('path' in err) ? Object.assign(err, { path: name }) : err
}
