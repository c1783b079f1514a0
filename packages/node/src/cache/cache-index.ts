import { randomUUID } from 'node:crypto'
import { opendir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { makeRoot, ROOT_SIZE, sizeOnDisk } from './cached-root.ts'
import { rootOfDirectory } from './names.ts'
import type { CachedRoot } from './cached-root.ts'

/**
 * How many files are counted after a crash, to find the sizes of roots that had changed. Further roots that had changed
 * are dropped. So a start takes seconds, however large the cache is.
 */
/** Maximum number of bytes of an index, 64 MiB: half a million roots. */
const MAX_INDEX_SIZE = 64 * 1024 * 1024
const MAX_COUNTED = 100_000
/** How many directories or files are looked at concurrently. */
const BATCH = 64
/**
 * How long ago a directory must have changed before its time is recorded, in milliseconds. Some file systems keep times
 * in steps of two seconds, so a later change within the same step would not show.
 */
const SETTLED_AFTER = 2000

/** A line of the index: the directory of a root, and its size and time if they are known. */
type Line = [directory: string, size?: number, recorded?: string]

export interface Found {
  /** The least recently used first. */
  roots: CachedRoot[]
  /** Directories to delete. */
  dropped: string[]
}

/**
 * Find the roots in a directory. The index has their sizes and their order. If a root changed after it was written, its
 * files are counted: the time of a directory changes with every file that is added.
 */
export async function readIndex (file: string, directory: string): Promise<Found> {
  const lines = new Map((await readLines(file)).map((line, i) => [line[0], { line, i }]))
  const names = await readdir(directory).catch(() => [])
  // roots that the index lacks are the newest
  const positionOf = (name: string): number => lines.get(name)?.i ?? lines.size
  const sorted = names.toSorted((a, b) => positionOf(a) - positionOf(b))
  const budget = { files: MAX_COUNTED }
  const roots = new Map<string, CachedRoot>()
  const dropped: string[] = []

  for (let start = 0; start < sorted.length; start += BATCH) {
    const batch = await Promise.all(sorted.slice(start, start + BATCH).map(async name => {
      const path = join(directory, name)

      return { path, root: await readRoot(path, name, lines.get(name)?.line, budget) }
    }))

    for (const { path, root } of batch) {
      const before = root == null ? undefined : roots.get(root.name)

      if (root == null || before != null) {
        dropped.push(before?.directory ?? path)
      }

      if (root != null) {
        roots.delete(root.name)
        roots.set(root.name, root)
      }
    }
  }

  return { roots: [...roots.values()], dropped }
}

/**
 * Write the index. Roots that change while it is written have no size in it.
 *
 * @param roots - the least recently used first
 * @param final - whether nothing will change any more
 */
export async function writeIndex (
  file: string,
  temporary: string,
  roots: readonly CachedRoot[],
  final: boolean
): Promise<void> {
  const unrecorded = roots.filter(({ recorded }) => recorded == null)

  for (let start = 0; start < unrecorded.length; start += BATCH) {
    await Promise.all(unrecorded.slice(start, start + BATCH).map(async root => record(root, final)))
  }

  const lines = roots.filter(({ evicted }) => !evicted).map(({ directory, size, recorded }): Line =>
    recorded == null ? [basename(directory)] : [basename(directory), size, recorded])

  await writeAtomic(file, Buffer.from(JSON.stringify(lines)), {
    temporary: join(temporary, randomUUID()),
    sync: true
  })
}

async function record (root: CachedRoot, final: boolean): Promise<void> {
  const { changed } = root

  if (final || (root.putting.size === 0 && Date.now() - changed > SETTLED_AFTER)) {
    const time = await timeOf(root.directory)

    // a block may have been added meanwhile
    if (root.changed === changed && root.putting.size === 0) {
      root.recorded = time
    }
  }
}

/** The lines of an index. A missing or damaged one has none. */
async function readLines (file: string): Promise<Line[]> {
  try {
    const lines = JSON.parse(String(await readOwnFile(file, MAX_INDEX_SIZE))) as unknown

    return Array.isArray(lines) ? lines.filter(isLine) : []
  } catch {
    return []
  }
}

function isLine (line: unknown): line is Line {
  if (!Array.isArray(line) || typeof line[0] !== 'string') {
    return false
  }

  return line.length === 1 || (Number.isSafeInteger(line[1]) && line[1] > 0 && typeof line[2] === 'string')
}

/** @returns undefined if the directory is not that of a root, is empty, or cannot be counted */
async function readRoot (
  path: string,
  name: string,
  line: Line | undefined,
  budget: { files: number }
): Promise<CachedRoot | undefined> {
  const root = rootOfDirectory(name)
  const recorded = root == null ? undefined : await timeOf(path)

  if (root == null || recorded == null) {
    return undefined
  }

  if (line?.[1] != null && line[2] === recorded) {
    return makeRoot(root, path, { size: line[1], recorded })
  }

  const size = await countFiles(path, budget)

  return size === ROOT_SIZE ? undefined : makeRoot(root, path, { size })
}

/** What the files of a root take on the disk: nothing but the directory if there are too many to count. */
async function countFiles (directory: string, budget: { files: number }): Promise<number> {
  const batch: string[] = []
  let size = ROOT_SIZE
  const count = async (): Promise<void> => {
    const sizes = await Promise.all(batch.splice(0).map(async name => (await stat(join(directory, name))).size))
    size += sizes.reduce((sum, size) => sum + sizeOnDisk(size), 0)
  }

  try {
    for await (const { name } of await opendir(directory)) {
      if (budget.files-- <= 0) {
        return ROOT_SIZE
      }

      if (batch.push(name) === BATCH) {
        await count()
      }
    }

    await count()
  } catch {
    // not a directory, or somebody deletes it
    return ROOT_SIZE
  }

  return size
}

/** The mtime of a directory. Undefined: it does not exist. */
async function timeOf (directory: string): Promise<string | undefined> {
  const stats = await stat(directory, { bigint: true }).catch(() => undefined)

  return stats?.mtimeNs.toString()
}
