import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { NoRoomError, OutputTooLargeError } from '../errors.ts'
import { formatSize } from '../terminal/units.ts'

/** The most bytes that are written unless more is allowed: 1 MB of blocks can be a valid file of 7 TiB. */
export const DEFAULT_MAX_SIZE = 4 * 1024 ** 4
/** The most files, directories and symlinks that are written unless more are allowed: 60 blocks can be a valid tree of 2^60 files. */
export const DEFAULT_MAX_FILES = 100_000_000

/** What is written, or will be. */
export interface WriteTotals {
  /** In bytes. */
  size: number
  /** Files, directories and symlinks. */
  entries: number
}

/** How much may be written below one path. */
export class WriteLimits {
  readonly #path: string
  readonly #maxSize: number
  readonly #maxFiles: number

  constructor (path: string, { maxSize = DEFAULT_MAX_SIZE, maxFiles = DEFAULT_MAX_FILES }: { maxSize?: number | undefined, maxFiles?: number | undefined } = {}) {
    this.#path = path
    this.#maxSize = maxSize
    this.#maxFiles = maxFiles
  }

  /**
   * @throws {OutputTooLargeError} it is more than is allowed
   */
  check ({ size, entries }: WriteTotals): void {
    if (entries > this.#maxFiles) {
      throw new OutputTooLargeError(this.#path, 'files', this.#maxFiles, `has more than ${this.#maxFiles} files and directories`)
    }

    if (size > this.#maxSize) {
      throw new OutputTooLargeError(this.#path, 'size', this.#maxSize, `has more than ${formatSize(this.#maxSize)} (${this.#maxSize} bytes)`)
    }
  }

  /** The bytes of a file, as long as they are no more than is allowed. */
  async * limit (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0

    for await (const bytes of content) {
      this.check({ size: size += bytes.byteLength, entries: 1 })
      yield bytes
    }
  }
}

/**
 * Look whether a disk has the room for what will be written to it.
 *
 * @param path - where it will be written
 * @throws {NoRoomError}
 */
export async function checkRoom (path: string, { size, entries }: WriteTotals): Promise<void> {
  // what is wrong with the directory is said when it is written to
  const disk = await statfs(dirname(path)).catch(() => undefined)

  // a file system that does not know has zeros
  if (disk == null || disk.blocks === 0) {
    return
  }

  const free = disk.bavail * disk.bsize

  if (size > free) {
    throw new NoRoomError(path, 'size', size, free, `needs ${formatSize(size)}, and the disk has ${formatSize(free)} left`)
  }

  if (disk.files > 0 && entries > disk.ffree) {
    throw new NoRoomError(path, 'files', entries, disk.ffree, `needs ${entries} files and directories, and the disk has room for ${disk.ffree}`)
  }
}
