import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import * as Digest from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats'
import type { Dirent } from 'node:fs'

/** How many files are handed out at one time. */
const BATCH = 32

/** What the files of blocks end with. */
const EXTENSION = '.data'

export interface BlockFile {
  path: string
  multihash: MultihashDigest
}

/** The files of blocks in a directory, laid out as blockstore-fs has them, in batches. What else is there is passed over. */
export async function * blockFiles (directory: string, signal?: AbortSignal): AsyncGenerator<BlockFile[]> {
  for (const shard of await readdir(directory)) {
    const files = await filesIn(join(directory, shard))

    for (let start = 0; start < files.length; start += BATCH) {
      signal?.throwIfAborted()
      yield files.slice(start, start + BATCH)
    }
  }
}

async function filesIn (shard: string): Promise<BlockFile[]> {
  const files: BlockFile[] = []

  for (const entry of await entriesOf(shard)) {
    const path = join(shard, entry.name)
    const multihash = decodeName(entry.name)

    if (multihash != null && (entry.isFile() || (entry.isSymbolicLink() && await leadsToFile(path)))) {
      files.push({ path, multihash })
    }
  }

  return files
}

/** None of what is no directory, or is gone by now. */
async function entriesOf (directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (err) {
    if (err instanceof Error && 'code' in err && (err.code === 'ENOTDIR' || err.code === 'ENOENT' || err.code === 'ELOOP')) {
      return []
    }

    throw err
  }
}

async function leadsToFile (path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
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
