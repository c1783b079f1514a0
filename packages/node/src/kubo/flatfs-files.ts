import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { FlatfsNames } from './flatfs-names.ts'
import type { MultihashDigest } from 'multiformats'

/** Multihashes in one batch. */
const BATCH = 32

/** The directories of the layout: two characters of base32. Kubo's `.temp` and its files of counts are none. */
const SHARD = /^[A-Z2-7_]{2}$/

/** The multihashes in the names of a flatfs, in batches. Skips all other files. */
export async function * flatfsFiles (directory: string, signal: AbortSignal): AsyncGenerator<MultihashDigest[]> {
  let batch: MultihashDigest[] = []

  for await (const shard of await opendir(directory)) {
    if (!SHARD.test(shard.name)) {
      continue
    }

    for await (const { name } of await opendir(join(directory, shard.name))) {
      signal.throwIfAborted()
      const multihash = decodeName(name)

      if (multihash != null && batch.push(multihash) === BATCH) {
        yield batch
        batch = []
      }
    }
  }

  yield batch
}

const names = new FlatfsNames()

/** Kubo has also names of files that it is writing. */
function decodeName (name: string): MultihashDigest | undefined {
  if (!name.endsWith(names.extension)) {
    return undefined
  }

  try {
    return names.decode(name).multihash
  } catch {
    return undefined
  }
}
