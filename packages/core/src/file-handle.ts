import type { CatOptions, Stats } from './unixfs.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/**
 * The options of `open`. All but `path` apply to each read that does not set them itself. `signal` aborts opening, and
 * the reads without a signal of their own.
 */
export interface OpenOptions extends Omit<CatOptions, 'offset' | 'length'> {}

/** The options of one read: `offset` and `length` in bytes of what `cat` returns, by default all of it. */
export interface FileReadOptions extends Omit<CatOptions, 'path'> {}

/**
 * A file, directory or symlink that is open: what its CID and path lead to was found out once, and it can be read any
 * number of times, also several times at once.
 *
 * A handle holds its root block, of 2 MiB at most if others can exchange it, and the decoded list of its frames, 8
 * bytes for each. Once they are read, it also holds up to 512 KiB of its base, up to 256 KiB of a list of frames that
 * is outside the root, and the seek table of a stream that another tool compressed, 8 or 12 bytes for each of up to a
 * million frames. It holds no file descriptor and no connection: one that is not closed is collected as garbage.
 */
export interface FileHandle {
  /** What `stat` returns. */
  readonly stats: Stats

  /**
   * How the file is stored, for a server whose clients decompress its frames. Runs no codec.
   *
   * Undefined for everything else: uncompressed files, plain CIDs, directories, streams compressed by another tool,
   * files with a base or filters, whose frames need more than the codec, and files with so many frames that the root
   * does not list them. Also undefined for an original CID whose link is unchecked, because only the original bytes can
   * be verified against it.
   *
   * @throws {FileClosedError}
   */
  readonly stored: StoredFile | undefined

  /**
   * How a file with a base is stored, for a server whose clients have that base: `stored` of other files. Runs no
   * codec. Undefined for files without a base, and where `stored` is undefined for another reason.
   *
   * @throws {FileClosedError}
   */
  readonly based: BasedFile | undefined

  /**
   * Read the file, or a range of it, like `cat` with its CID and path. The root is not read again. Each read has its
   * own memory, which is bounded by `inFlightBytes` and `readAhead`, and its own signal. A read whose first bytes were
   * asked for goes on to its end if the handle is closed.
   *
   * @throws {FileClosedError} the handle was closed before the first bytes were asked for
   * @throws {NotAFileError} it is a directory
   * @throws {InvalidParametersError} the offset is not from 0 to the size of the file, or the length is not from 0
   * @throws the errors of `cat` that concern blocks, frames, bases and links
   */
  read (options?: FileReadOptions): AsyncIterable<Uint8Array>

  /**
   * How much memory a read takes, from the root block and that of the base: for a server that shares its memory among
   * many readers.
   *
   * @throws {FileClosedError}
   * @throws {UnreadableBaseError} the base of the file is missing, or cannot be read
   */
  readCost (options?: Pick<OpenOptions, 'signal'>): Promise<ReadCost>

  /**
   * Release what the handle holds, at once or when the reads that have begun end. `stats` can still be used, and keep
   * the root block of a small file. Does nothing if it is closed.
   */
  close (): void
}

/** The stored frames of a compressed file. */
export interface StoredFile {
  /** The codec that decompresses a frame. */
  codec: CodecName

  /** Original bytes of the file. */
  size: number

  /** Original bytes in every frame except the last, or the maximum of `frameSizes`. */
  frameSize: number

  /** Original bytes of each frame, in order. Set for files with content-defined frames (`cut: 'content'`). */
  frameSizes?: readonly number[]

  /** Compressed bytes of each frame, in order. */
  frameLengths: readonly number[]

  /** Compressed bytes of all frames. */
  length: number

  /**
   * Read all frames, one after the other, without the trailer. Every block is verified; the frames themselves are not
   * checked. Throws the errors of `cat` that concern blocks, and FileClosedError like `read` of the handle.
   */
  frames: (options?: FramesOptions) => AsyncIterable<Uint8Array>
}

/** The stored frames of a file with a base. */
export interface BasedFile extends StoredFile {
  /** The plain CID of the base. */
  base: CID

  /** The part of the base's original content that is the dictionary of each frame: 0 bytes for a frame without one. */
  regions: ReadonlyArray<{ offset: number, length: number }>
}

export interface FramesOptions extends Pick<CatOptions, 'signal' | 'readAhead' | 'onOpenLinks'> {
  /** Number of compressed bytes to skip. Other options override the options with which the file was opened. */
  offset?: number | undefined
}

/** What it takes to read a file: whoever serves many readers can share memory among them by it. */
export interface ReadCost {
  /**
   * Whether a read can begin at any byte, and decompress no more than the frames that hold what is read. If not, it has
   * to decompress everything before.
   */
  isSeekable: boolean

  /**
   * Whether a read can begin at any byte, at whatever cost. False for an original CID whose link is unchecked: only all
   * of its bytes can be verified against it.
   */
  hasRanges: boolean

  /** Approximate maximum memory of a read with `readAhead: false`, in bytes. */
  memory: number

  /** Approximate maximum memory of a read otherwise, in bytes. */
  memoryAhead: number
}
