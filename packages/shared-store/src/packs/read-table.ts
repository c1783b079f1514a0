import { FIRST_READ, readPackTable, tableSizeOf } from '@ipfsz/blockstore-packed/whole'
import { messageOf } from '@ipfsz/utils/message-of'
import { StoreObjectError } from '../errors.ts'
import { readObject } from '../objects/read-object.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StoredPack } from './pack-keys.ts'
import type { PackTable } from '@ipfsz/blockstore-packed/whole'

/**
 * Read what is in a pack.
 *
 * @returns undefined if it is gone
 * @throws {StoreObjectError} it is damaged
 */
export async function readTable (
  objects: ObjectStore,
  { id, key }: Pick<StoredPack, 'id' | 'key'>,
  signal: AbortSignal | undefined
): Promise<PackTable | undefined> {
  const first = await readObject(objects, key, { offset: 0, length: FIRST_READ, signal })

  if (first == null) {
    return undefined
  }

  try {
    const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength)
    const size = tableSizeOf(bytes, id)
    const rest = size <= bytes.byteLength
      ? undefined
      : await readObject(objects, key, { offset: bytes.byteLength, length: size - bytes.byteLength, signal })
    const table = Buffer.concat(rest == null ? [bytes] : [bytes, rest]).subarray(0, size)

    if (table.byteLength < size) {
      throw new StoreObjectError(key, 'it ends early')
    }

    return readPackTable(table, id)
  } catch (err) {
    throw err instanceof Error && err.name === 'DamagedPackError'
      ? new StoreObjectError(key, messageOf(err), { cause: err })
      : err
  }
}

/** The same objects, with how many pages of lists there were. */
export function countingPages (objects: Pick<ObjectStore, 'list'>): Pick<ObjectStore, 'list'> & { count: number } {
  const counting = {
    count: 0,
    list: async function * (...args: Parameters<ObjectStore['list']>) {
      for await (const page of objects.list(...args)) {
        counting.count++
        yield page
      }
    }
  }

  return counting
}
