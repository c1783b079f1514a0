import { checkBlock, isIdentity, notUnixFS } from '@ipfsz/core'
import { messageOf } from '@ipfsz/utils/message-of'
import { CID } from 'multiformats/cid'
import { isDagPb, isLeaf } from '../dag/reached.ts'
import { decodeRoots } from './car-header.ts'
import { CarInput } from './car-input.ts'
import { InvalidCarError } from '../errors.ts'

/** A CAR whose header has been read. */
export interface OpenCar {
  /** The roots, each once. */
  roots: CID[]
  /** The blocks of the CAR, each checked against its hash, without those of identity CIDs. */
  blocks (): AsyncGenerator<{ cid: CID, bytes: Uint8Array }>
}

/** The first bytes of a CARv2 after the length: `{ version: 2 }`. */
const PRAGMA = Buffer.from('a16776657273696f6e02', 'hex')
/** The bytes after the pragma: 16 of characteristics, offset and size of the inner CARv1, and offset of the index. */
const V2_HEADER_LENGTH = 40
const V2_LENGTH = 1 + PRAGMA.byteLength + V2_HEADER_LENGTH

/**
 * Read the header of a CAR, of version 1 or 2.
 *
 * @param name - the CAR's name in errors
 * @throws {InvalidCarError} it is not a CAR, has no roots, or has a root that is not UnixFS
 */
export async function openCar (
  source: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal
): Promise<OpenCar> {
  const input = new CarInput(source, name, signal)
  const roots = await readRoots(input, name).catch(async (err: unknown) => {
    await input.close()
    throw withPath(name, err)
  })

  return {
    roots,
    async * blocks () {
      try {
        for (let section = await input.piece(); section != null; section = await input.piece()) {
          const { cid, bytes } = readSection(section, input)

          await checkBlock(cid, bytes).catch((err: unknown) => { throw blockError(name, err) })

          if (!isIdentity(cid)) {
            yield { cid, bytes }
          }
        }
      } catch (err) {
        throw withPath(name, err)
      } finally {
        await input.close()
      }
    }
  }
}

async function readRoots (input: CarInput, name: string): Promise<CID[]> {
  const roots = await readHeaders(input)

  if (roots.length === 0) {
    throw new InvalidCarError(`${name} has no root, so nothing in it can be pinned: export it again with its root`)
  }

  for (const root of roots) {
    if (!isLeaf(root) && !isDagPb(root)) {
      const cause = notUnixFS(root)
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
    throw input.invalid(messageOf(err), { cause: err })
  }
}

/** The header of the CARv1 inside a CARv2. Limits the input to it: the index that follows is not read. */
async function readInner (input: CarInput): Promise<Uint8Array | undefined> {
  const header = Buffer.from(await input.exactly(V2_HEADER_LENGTH))
  const [offset, size] = [header.readBigUInt64LE(16), header.readBigUInt64LE(24)].map(Number)

  if (offset < V2_LENGTH || !Number.isSafeInteger(offset + size)) {
    throw input.invalid(`its header puts ${size} bytes of blocks at byte ${offset}, which is impossible`)
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
    throw input.invalid(
      `a section does not begin with a CID: ${messageOf(err)}`,
      { cause: err }
    )
  }
}

function blockError (name: string, err: unknown): unknown {
  if (!(err instanceof Error)) {
    return err
  }

  return new InvalidCarError(
    `${name} ${err.name === 'CorruptBlockError' ? 'is damaged' : 'cannot be imported'}: ${err.message}`,
    { cause: err }
  )
}

/** Add the CAR's name to a system error: errors of reads name no file. */
function withPath (name: string, err: unknown): unknown {
  return err instanceof Error && 'syscall' in err && !('path' in err) ? Object.assign(err, { path: name }) : err
}
