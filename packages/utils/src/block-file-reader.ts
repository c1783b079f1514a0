import { nodeFiles, readWholeFile } from './read-file.ts'

/** What an `FsBlockstore` of blockstore-fs has besides its interface (docs/upstream.md). */
interface FileStore<Key> {
  constructor: { name: string }
  path: string
  /** Where below the path a block is. */
  shardingStrategy: { encode (key: Key): { dir: string, file: string } }
}

/** @returns undefined if there is no such file, it has more than `max` bytes, or cannot be read */
type ReadBlockFile<Key> = (
  key: Key,
  options: { max?: number | undefined, signal?: AbortSignal | null | undefined }
) => Promise<Uint8Array | undefined>

/**
 * Reads the files of an `FsBlockstore` as a whole, in memory of their own. It reads pieces of 64 KiB itself, each of
 * which waits for the thread pool behind the work of the codecs: a block of 1 MiB took two to four times as long.
 *
 * The caller compares what it gets with the hash of the block, and asks the store if it differs: a store of another
 * package may have the same name.
 *
 * @param store - one whose class is another, or whose `get` was replaced, is left alone
 */
export function blockFileReader<Key> (store: object): ReadBlockFile<Key> | undefined {
  const { constructor, path, shardingStrategy } = store as Partial<FileStore<Key>>

  if (constructor?.name !== 'FsBlockstore' || path == null || shardingStrategy == null || nodeFiles() == null) {
    return undefined
  }

  return async (key, options) => {
    if (Object.hasOwn(store, 'get')) {
      return undefined
    }

    try {
      const { dir, file } = shardingStrategy.encode(key)

      return await readWholeFile(`${path}/${dir}/${file}`, options)
    } catch {
      // the store says what is wrong
      return undefined
    }
  }
}
