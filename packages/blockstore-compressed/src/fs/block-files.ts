import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats'

/** How many files are handed out at one time. */
const BATCH = 32

/** What the files of blocks end with. */
const EXTENSION = '.data'

export interface BlockFile {
  path: string
  multihash: MultihashDigest
}

/** The files of blocks in a directory, laid out as blockstore-fs has them, in batches. Other files are passed over. */
export async function * blockFiles (directory: string, signal?: AbortSignal): AsyncGenerator<BlockFile[]> {
  for (const shard of await readdir(directory, { withFileTypes: true })) {
    const names = shard.isDirectory() ? await readdir(join(directory, shard.name)) : []
    const files = names.flatMap(name => {
      const multihash = decodeName(name)

      return multihash == null ? [] : [{ path: join(directory, shard.name, name), multihash }]
    })

    for (let start = 0; start < files.length; start += BATCH) {
      signal?.throwIfAborted()
      yield files.slice(start, start + BATCH)
    }
  }
}

/** A file is called by the multihash of its block, in base32. Not read as a CID, which only looks right for sha2-256. */
function decodeName (name: string): MultihashDigest | undefined {
  if (!name.endsWith(EXTENSION)) {
    return undefined
  }

  try {
    return Digest.decode(base32upper.decode(name.slice(0, -EXTENSION.length)))
  } catch {
    return undefined
  }
}
