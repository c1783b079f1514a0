import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TreeEntryError } from '../errors.ts'
import type { Ignore } from './ignore.ts'
import type { ImportCandidateStream, Mtime } from '@ipfsz/core'
import type { BigIntStats } from 'node:fs'

type Candidate = ImportCandidateStream extends AsyncIterable<infer T> | Iterable<infer T> ? T : never

/** Read files in pieces of 4 MiB, those of a frame, so that they need not be put together. */
export const READ_SIZE = 4 * 1024 * 1024

/** How many entries of a directory are looked at ahead. */
const AHEAD = 32

export interface Preserve {
  mode: boolean
  mtime: boolean
}

export interface TreeSourceOptions {
  /** Take also what begins with a dot. */
  hidden: boolean
  ignore: Ignore
  preserve: Preserve
  signal: AbortSignal
  /** So many bytes of a file have been read. */
  onRead (path: string, bytes: number): void
  /** An entry begins with a dot and is left out. */
  onHidden (path: string): void
}

interface Entry {
  name: string
  path: string
  stats: BigIntStats
}

/**
 * What is in a directory, or the one that a symlink leads to, the directory first and everything in the order of the
 * names: files, directories and symlinks as symlinks. Nothing is opened before it is
 * read.
 *
 * @param root - what the directory is called in the paths of the result
 * @throws {TreeEntryError} an entry is none of those, or has a name that is no text
 */
export async function * treeSource (directory: string, root: string, options: TreeSourceOptions): AsyncGenerator<Candidate> {
  yield { path: root, ...metadata(await stat(directory, { bigint: true }), options.preserve) }
  yield * walk(directory, root, '', options)
}

async function * walk (directory: string, root: string, below: string, options: TreeSourceOptions): AsyncGenerator<Candidate> {
  const names = await entryNames(join(directory, below), options, below)

  for (let start = 0; start < names.length; start += AHEAD) {
    options.signal.throwIfAborted()

    const entries = await Promise.all(names.slice(start, start + AHEAD).map(async (name): Promise<Entry> => {
      const path = below === '' ? name : `${below}/${name}`

      return { name, path, stats: await lstat(join(directory, path), { bigint: true }) }
    }))

    for (const { path, stats } of entries) {
      const file = join(directory, path)
      const candidate = { path: `${root}/${path}`, ...metadata(stats, options.preserve) }

      if (stats.isDirectory()) {
        yield candidate
        yield * walk(directory, root, path, options)
      } else if (stats.isFile()) {
        yield { ...candidate, content: content(file, path, options) }
      } else if (stats.isSymbolicLink()) {
        // the mode of a symlink says nothing
        yield { path: candidate.path, link: await readlink(file), mtime: candidate.mtime } as Candidate
      } else {
        throw new TreeEntryError(file, 'is neither a file nor a directory nor a symlink, leave it out with --ignore')
      }
    }
  }
}

async function entryNames (directory: string, { hidden, ignore, onHidden }: TreeSourceOptions, below: string): Promise<string[]> {
  const names: string[] = []

  for (const bytes of await readdir(directory, { encoding: 'buffer' })) {
    const name = bytes.toString()
    const path = below === '' ? name : `${below}/${name}`

    if (ignore(path)) {
      continue
    }

    if (!hidden && name.startsWith('.')) {
      onHidden(path)
    } else if (!Buffer.from(name).equals(bytes)) {
      throw new TreeEntryError(join(directory, name), 'its name is not UTF-8, as names of UnixFS are: rename it, or leave it out with --ignore')
    } else {
      names.push(name)
    }
  }

  return names.toSorted((a, b) => a < b ? -1 : 1)
}

/** Mode and mtime as UnixFS has them, those that are wanted. */
export function metadata (stats: BigIntStats, { mode, mtime }: Preserve): { mode?: number, mtime?: Mtime } {
  return {
    ...mode ? { mode: Number(stats.mode & 0o7777n) } : {},
    ...mtime ? { mtime: toMtime(stats.mtimeNs) } : {}
  }
}

/**
 * In whole microseconds: what writes the tree to disk again can give it no
 * nanoseconds, as Node takes times as numbers, and then the same tree would have
 * another CID.
 */
function toMtime (nanoseconds: bigint): Mtime {
  const second = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n

  return { secs: (nanoseconds - second) / 1_000_000_000n, nsecs: Number(second / 1000n * 1000n) }
}

async function * content (file: string, path: string, { onRead }: TreeSourceOptions): AsyncGenerator<Uint8Array> {
  // what was a file is not to become a symlink to something else
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)

  try {
    let { size } = await handle.stat()

    for (;;) {
      // one more than there should be, so that the end is seen with the last piece
      const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 0) + 1, READ_SIZE))
      const { bytesRead } = await handle.read(buffer)

      if (bytesRead === 0) {
        return
      }

      size -= bytesRead
      onRead(path, bytesRead)
      yield buffer.subarray(0, bytesRead)

      if (bytesRead < buffer.byteLength && size <= 0) {
        return
      }
    }
  } finally {
    await handle.close()
  }
}
