/** What is kept below one root: a directory with a file for each block. */
export interface CachedRoot {
  /** See `rootName`. */
  readonly name: string
  readonly directory: string
  /** What it takes on the disk, in bytes. */
  size: number
  /** When a block was added last, in milliseconds since the epoch. */
  changed: number
  /** The mtime of its directory, in nanoseconds, for which `size` is right. Undefined: it has changed since. */
  recorded: string | undefined
  /** The blocks that are being put, by name. Some wait for room. */
  readonly putting: Map<string, Promise<void>>
  /** The files that are being written. */
  readonly writing: Set<Promise<void>>
  /** Whether it was evicted: no block may be added. */
  evicted: boolean
}

/** File systems allocate space in units of this size, in bytes. */
const UNIT = 4096
/** About what a file takes besides its bytes: an inode, and an entry of its directory. */
const FILE_OVERHEAD = 256

/** What the directory of a root takes. */
export const ROOT_SIZE = UNIT

/**
 * What a block takes on the disk. Many small files take far more than their bytes, so the number of files is
 * bounded with the size of all.
 */
export function sizeOnDisk (bytes: number): number {
  return Math.ceil((bytes + FILE_OVERHEAD) / UNIT) * UNIT
}

export function makeRoot (
  name: string,
  directory: string,
  known: Partial<Pick<CachedRoot, 'size' | 'recorded'>> = {}
): CachedRoot {
  return {
    name,
    directory,
    size: 0,
    changed: 0,
    recorded: undefined,
    putting: new Map(),
    writing: new Set(),
    evicted: false,
    ...known
  }
}
