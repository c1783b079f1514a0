import { StoreObjectError } from '../errors.ts'
import type { GetObjectOptions, ListedObject, ObjectStore } from './object-store.ts'

/** Read an object, or a part of it. Returns undefined if there is none. */
export async function readObject (
  store: ObjectStore,
  key: string,
  options: GetObjectOptions
): Promise<Uint8Array | undefined> {
  try {
    return await store.get(key, options)
  } catch (err) {
    if (err instanceof Error && err.name === 'NotFoundError') {
      return undefined
    }

    throw err
  }
}

/** Whether there is an object. Reads it: an old answer about a file's name lives longer than one about its content. */
export async function hasObject (store: ObjectStore, key: string, signal?: AbortSignal): Promise<boolean> {
  return await readObject(store, key, { offset: 0, length: 1, signal }) != null
}

/**
 * Maximum objects of processes, of each kind. There are as many as processes run or were killed since the last
 * collection, so more of them are somebody else's, and would be read for hours.
 */
export const MAX_OBJECTS = 10_000

/**
 * All objects below a prefix.
 *
 * @param max - how many there can be: by default, as many as processes could have written
 * @throws {StoreObjectError} there are more
 */
export async function * objectsOf (
  store: Pick<ObjectStore, 'list'>,
  prefix: string,
  signal?: AbortSignal,
  max = MAX_OBJECTS
): AsyncGenerator<ListedObject> {
  let count = 0

  for await (const page of store.list(prefix, { signal, most: max })) {
    count += page.length

    if (count > max) {
      throw new StoreObjectError(page[0].key, `there are more than ${max} objects below ${prefix}`)
    }

    yield * page
  }
}
