import type { GetObjectOptions, ObjectInfo, ObjectStore } from './object-store.ts'

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

/** All objects of a list. */
export async function * objectsOf (
  store: ObjectStore,
  prefix: string,
  signal?: AbortSignal
): AsyncGenerator<ObjectInfo> {
  for await (const page of store.list(prefix, { signal })) {
    yield * page
  }
}
