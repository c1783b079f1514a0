import { CarBlockIterator } from '@ipld/car'
import { matches } from './dag-walk.ts'
import { InvalidCarError } from './errors.ts'
import type { CID } from 'multiformats/cid'

/** A CAR whose header has been read. */
export interface OpenCar {
  roots: CID[]
  /** As `CarReader.blocks`: those of the CAR, each compared with its hash. */
  blocks (): AsyncGenerator<{ cid: CID, bytes: Uint8Array }>
}

/**
 * @throws {InvalidCarError} it is no CAR, or has no roots
 */
export async function openCar (source: AsyncIterable<Uint8Array>, name: string): Promise<OpenCar> {
  const iterator = await CarBlockIterator.fromIterable(source).catch((err: unknown) => { throw broken(name, err) })
  const roots = await iterator.getRoots()

  if (roots.length === 0) {
    throw new InvalidCarError(`${name} names no root: nothing says what is in it`)
  }

  return {
    roots,
    async * blocks () {
      try {
        for await (const { cid, bytes } of iterator) {
          if (!await matches(cid, bytes)) {
            throw new InvalidCarError(`${name} is damaged: the bytes of the block ${cid} do not match its hash`)
          }

          yield { cid, bytes }
        }
      } catch (err) {
        throw broken(name, err)
      }
    }
  }
}

/** What the reader of CARs says has no name: it throws plain errors where bytes are missing or wrong. */
function broken (name: string, err: unknown): unknown {
  if (err instanceof Error && 'syscall' in err && !('path' in err)) {
    // reading what is open names no file
    return Object.assign(err, { path: name })
  }

  if (!(err instanceof Error) || !['Error', 'RangeError', 'TypeError', 'SyntaxError'].includes(err.name) || 'syscall' in err) {
    return err
  }

  return new InvalidCarError(err.message.startsWith('Unexpected end of data')
    ? `${name} is cut short: it ends in the middle of a block`
    : `${name} is not a CAR, or a damaged one: ${err.message}`, { cause: err })
}
