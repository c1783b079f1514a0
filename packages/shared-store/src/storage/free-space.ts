import { statfs } from 'node:fs/promises'
import { StoreError } from '../errors.ts'

/** What blocks leave free of a disk: a hundredth, and at most 64 MiB. A collection writes up to 1 MiB. */
const [LEFT_PART, MAX_LEFT] = [0.01, 64 * 1024 * 1024]
/** The part of the free space, or of 64 MiB, that is taken before the next look: other nodes use it, too. */
const TAKEN_PART = 1 / 16
/** What a small file takes on most file systems. A disk may have fewer inodes than space for such files. */
const FILE_SIZE = 4096

type Disk = Record<'bavail' | 'blocks' | 'bsize' | 'ffree' | 'files', number> & {
  /** What blocks are counted in. File systems of processes, such as GlusterFS, have a larger `bsize`. */
  frsize?: number | undefined
}

/**
 * The space that blocks may take on the disk of a store. They leave some: on a disk that is full to its last byte, a
 * garbage collection could not write what it condemns, nor other nodes what they need of it. It would stay full.
 */
export class FreeSpace {
  readonly #directory: string
  readonly #ask: (directory: string) => Promise<Disk>
  /** Bytes of the files that are being written. */
  #writing = 0
  #left = 0
  /** Bytes that may be taken before the next look. */
  #untilLook = 0
  #looking: Promise<void> | undefined

  /** @param ask - `statfs`, but for tests */
  constructor (directory: string, ask: (directory: string) => Promise<Disk> = statfs) {
    this.#directory = directory
    this.#ask = ask
  }

  /**
   * Write a file.
   *
   * @param size - its bytes
   * @throws {StoreError} there is no space for it
   */
  async write<T> (size: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.max(size, FILE_SIZE)

    if (this.#untilLook < taken) {
      await (this.#looking ??= this.#look().finally(() => { this.#looking = undefined }))
    }

    if (this.#left < taken) {
      throw new StoreError(
        `The disk of the store ${this.#directory} is full, except for the space that a collection needs`,
        { problem: 'full' }
      )
    }

    this.#untilLook -= taken
    this.#left -= taken
    this.#writing += taken

    try {
      return await work()
    } finally {
      this.#writing -= taken
    }
  }

  /** A file system that does not tell counts as endless: it refuses what it has no space for. */
  async #look (): Promise<void> {
    const disk = await this.#ask(this.#directory).catch(() => undefined)
    const [free, all] = disk == null ? [Infinity, Infinity] : [bytesOf(disk, 'free'), bytesOf(disk, 'all')]

    this.#left = free - Math.min(all * LEFT_PART, MAX_LEFT) - this.#writing
    this.#untilLook = Math.min(this.#left, MAX_LEFT) * TAKEN_PART
  }
}

/** Bytes that files may take. Some file systems have no number of blocks, or of inodes. */
function bytesOf ({ bavail, blocks, bsize, frsize = bsize, ffree, files }: Disk, what: 'free' | 'all'): number {
  return Math.min(
    blocks === 0 ? Infinity : frsize * (what === 'all' ? blocks : bavail),
    files === 0 ? Infinity : FILE_SIZE * (what === 'all' ? files : ffree)
  )
}
