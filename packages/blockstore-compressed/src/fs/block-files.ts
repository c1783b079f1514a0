import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import * as Digest from 'multiformats/hashes/digest'
import { codeOf } from './code-of.ts'
import type { MultihashDigest } from 'multiformats'
import type { Dirent } from 'node:fs'

const BATCH = 32

/** The extension of block files. */
const EXTENSION = '.data'

/** Error codes of a path that is not a directory, or not any more. */
const NO_DIRECTORY: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ENOENT', 'ELOOP'])

export interface BlockFile {
  path: string
  multihash: MultihashDigest
}

/** Yields the block files in a directory with the layout of blockstore-fs, in batches. Skips all other files. */
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

/** @returns no entries if the path is not a directory, or has been deleted */
async function entriesOf (directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (err) {
    if (NO_DIRECTORY.has(codeOf(err))) {
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

/**
 * The multihash in the name of a block file, in base32. `FsBlockstore` reads the name as a
 * CID, which works for sha2-256 only.
 */
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
