import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { NoRoomError, OutputTooLargeError } from '../errors.ts'
import { formatSize } from '@ipfsz/utils/format-size'

/** The default of `--max-size`, in bytes. A limit is needed: 1 MB of blocks can be a valid file of 7 TiB. */
export const DEFAULT_MAX_SIZE = 4 * 1024 ** 4
/** The default of `--max-files`. Counts directories and symlinks too: 60 blocks can be a valid tree of 2^60 files. */
export const DEFAULT_MAX_FILES = 100_000_000

/** The size of a tree on disk. */
export interface WriteTotals {
  /** Bytes of all files. */
  size: number
  /** Number of files, directories and symlinks. */
  entries: number
}

/**
 * How many times the bytes of its blocks a tree has, mostly at most: a file of some bytes takes a whole block of the
 * disk, and text shrinks to a tenth.
 */
const LIKELY_GROWTH = 32
/** Bytes of a link in a directory, at least. */
const LINK_SIZE = 40

/** The most that a tree has on disk, unless it is an unusual one, or hostile. @param bytes - that its blocks claim */
export function likelyTotals (bytes: number): WriteTotals {
  return { size: bytes * LIKELY_GROWTH, entries: 1 + Math.ceil(bytes / LINK_SIZE) }
}

/** Limits how much is written to one path. */
export class WriteLimits {
  /** The most bytes to write. */
  readonly maxSize: number
  readonly #path: string
  readonly #maxFiles: number

  constructor (
    path: string,
    { maxSize = DEFAULT_MAX_SIZE, maxFiles = DEFAULT_MAX_FILES }: {
      maxSize?: number | undefined
      maxFiles?: number | undefined
    } = {}
  ) {
    this.#path = path
    this.maxSize = maxSize
    this.#maxFiles = maxFiles
  }

  /** Check the totals against the limits. */
  check ({ size, entries }: WriteTotals): void {
    if (entries > this.#maxFiles) {
      throw new OutputTooLargeError(
        this.#path,
        'files',
        this.#maxFiles,
        `exceeds the limit of ${this.#maxFiles} files, directories and symlinks`
      )
    }

    if (size > this.maxSize) {
      throw new OutputTooLargeError(
        this.#path,
        'size',
        this.maxSize,
        `exceeds the limit of ${formatSize(this.maxSize)} (${this.maxSize} bytes)`
      )
    }
  }

  /**
   * Pass the bytes of a file through.
   *
   * @throws {OutputTooLargeError} they become more than the limit
   */
  async * limit (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0

    for await (const bytes of content) {
      this.check({ size: size += bytes.byteLength, entries: 1 })
      yield bytes
    }
  }
}

/**
 * Check that a disk has room for a file or tree.
 *
 * @param path - where it will be written
 */
export async function checkRoom (path: string, { size, entries }: WriteTotals): Promise<void> {
  // if the directory cannot be used, writing to it reports why
  const directory = dirname(path)
  const disk = await statfs(directory).catch(() => undefined)

  // some file systems report zeros
  if (disk == null || disk.blocks === 0) {
    return
  }

  const free = disk.bavail * disk.bsize

  if (size > free) {
    throw new NoRoomError(
      path,
      `needs ${formatSize(size)}, but the disk has only ${formatSize(free)} left: ` +
        `${directory} is ${formatSize(size - free)} short`,
      { limit: 'size', needed: size, free }
    )
  }

  if (disk.files > 0 && entries > disk.ffree) {
    throw new NoRoomError(
      path,
      `needs ${entries} files and directories, but the disk has inodes for only ${disk.ffree}, in ${directory}`,
      { limit: 'files', needed: entries, free: disk.ffree }
    )
  }
}
