import type { CidPath } from '../dag/cid-path.ts'
import type { DirectoryEntry, Ipfsz, LsOptions } from '@ipfsz/core'

export interface WalkOptions extends Pick<LsOptions, 'signal' | 'onProgress'> {
  /**
   * How many levels of directories to list: 1 lists what is in the root, and nothing below.
   *
   * @default Infinity
   */
  depth?: number | undefined
}

/** What is somewhere below a directory. */
export interface WalkedEntry {
  entry: DirectoryEntry
  /** From the root, such as `a/b.txt`. Empty if the root is a file itself. */
  path: string
  /** 1 for what is in the root, 2 for what is in its directories. */
  depth: number
  /** Whether no other entry of the same directory follows. */
  isLast: boolean
}

/** A directory whose entries are being listed. */
interface Level {
  entries: AsyncIterator<DirectoryEntry>
  /** What follows is known before an entry is reported. */
  next: DirectoryEntry | undefined
  /** The path of the directory, with a slash at its end unless it is the root. */
  prefix: string
}

/**
 * List what is in a directory and in those below it: each directory before what is in it. Holds one entry of each
 * level, however large a directory is. A file is its only entry.
 */
export async function * walkContent (
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  files: Pick<Ipfsz, 'ls'>,
  { depth = Infinity, ...options }: WalkOptions
): AsyncGenerator<WalkedEntry> {
  const levels: Level[] = []

  const enter = async (entries: AsyncIterable<DirectoryEntry>, prefix: string): Promise<void> => {
    const iterator = entries[Symbol.asyncIterator]()
    levels.push({ entries: iterator, next: undefined, prefix })
    await advance(levels[levels.length - 1])
  }

  try {
    await enter(files.ls(cid, { ...options, path }), '')

    for (let level = levels.at(-1); level != null; level = levels.at(-1)) {
      options.signal?.throwIfAborted()
      const { next: entry, prefix } = level

      if (entry == null) {
        levels.pop()
        continue
      }

      await advance(level)
      // in core, as in Helia, the name of a file that is the root is its CID, and so is its path
      const isRoot = levels.length === 1 && entry.path === entry.name
      const path = isRoot ? '' : `${prefix}${entry.name}`
      yield { entry, path, depth: levels.length, isLast: level.next == null }

      if (entry.type === 'directory' && !isRoot && levels.length < depth) {
        await enter(files.ls(entry.cid, options), `${path}/`)
      }
    }
  } finally {
    for (const { entries } of levels) {
      await entries.return?.()
    }
  }
}

async function advance (level: Level): Promise<void> {
  const { done, value } = await level.entries.next()
  level.next = done === true ? undefined : value
}
