// Longer than others: one class for each failure that a caller can handle, all of one shape, and whoever looks for one looks here.
import type { CID } from 'multiformats/cid'

export { CorruptFrameError, FrameTooLargeError, InvalidLevelError, MissingImplementationError, UnknownCodecError, WindowTooLargeError } from '@ipfsz/codecs'
export { AlreadyExistsError, DoesNotExistError, InvalidParametersError, NotADirectoryError, NotAFileError } from '@helia/unixfs/errors'
export { CorruptBlockError, DigestLengthError, UnknownHashError } from '@ipfsz/errors'

/** Only a dag-pb CID can be marked. */
export class NotMarkableError extends Error {
  static override readonly name = 'NotMarkableError'
  override readonly name = 'NotMarkableError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`Only a dag-pb CID can be marked: ${cid} has the codec 0x${cid.code.toString(16)}`)
    this.cid = cid
  }
}

/** A code that is no marker, or none of a compressed file where one is needed. */
export class UnknownMarkerError extends Error {
  static override readonly name = 'UnknownMarkerError'
  override readonly name = 'UnknownMarkerError'
  readonly code: number

  constructor (code: number) {
    super(`0x${code.toString(16)} is not a marker code`)
    this.code = code
  }
}

/** Frames of this many original bytes cannot be made. */
export class InvalidFrameSizeError extends Error {
  static override readonly name = 'InvalidFrameSizeError'
  override readonly name = 'InvalidFrameSizeError'
  readonly frameSize: number
  readonly min: number
  readonly max: number

  constructor (frameSize: number, min: number, max: number) {
    super(`A frame size is a whole number from ${min} to ${max} bytes, not ${frameSize}`)
    this.frameSize = frameSize
    this.min = min
    this.max = max
  }
}

/** The root block could not hold the lengths of all frames of a file this large. */
export class FileTooLargeError extends Error {
  static override readonly name = 'FileTooLargeError'
  override readonly name = 'FileTooLargeError'
  readonly frames: number
  readonly frameSize: number

  constructor (frames: number, frameSize: number) {
    super(`The file has more than ${frames} frames of ${frameSize} bytes, add it with larger ones`)
    this.frames = frames
    this.frameSize = frameSize
  }
}

/** The rules that a header can break (docs/format.md, section 3). */
export type HeaderRule =
  | 'encoding'
  | 'version'
  | 'codec'
  | 'frame-size'
  | 'frame-count'
  | 'frame-length'
  | 'total-length'
  | 'dictionary'
  | 'root'

/** A file's header breaks a rule of the format. */
export class InvalidHeaderError extends Error {
  static override readonly name = 'InvalidHeaderError'
  override readonly name = 'InvalidHeaderError'
  readonly rule: HeaderRule
  readonly cid: CID

  constructor (cid: CID, rule: HeaderRule, reason: string, options?: ErrorOptions) {
    super(`The header of ${cid} is invalid: ${reason}`, options)
    this.rule = rule
    this.cid = cid
  }
}

/** A CID is marked as compressed, but its root carries no header. */
export class MissingHeaderError extends Error {
  static override readonly name = 'MissingHeaderError'
  override readonly name = 'MissingHeaderError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is marked as compressed, but its root block has no header`)
    this.cid = cid
  }
}

/** A block that should be UnixFS is not. Named as Helia names it. */
export class NotUnixFSError extends Error {
  static override readonly name = 'NotUnixFSError'
  override readonly name = 'NotUnixFSError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The block ${cid} is not UnixFS: ${reason}`, options)
    this.cid = cid
  }
}

/** A block of a file contradicts the one that links to it. */
export class InvalidDagError extends Error {
  static override readonly name = 'InvalidDagError'
  override readonly name = 'InvalidDagError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The block ${cid} ${reason}`, options)
    this.cid = cid
  }
}

/** The blockstore does not have a block. Named as blockstores name theirs. */
export class NotFoundError extends Error {
  static override readonly name = 'NotFoundError'
  override readonly name = 'NotFoundError'
  readonly cid: CID
  /** The compressed file that the CID is linked to, and that was not found either. */
  readonly compressed: CID | undefined

  constructor (cid: CID, { compressed, ...options }: ErrorOptions & { compressed?: CID } = {}) {
    super(compressed == null
      ? `The block ${cid} was not found`
      : `Neither the block ${cid} was found, nor the compressed file ${compressed} that it is linked to`, options)
    this.cid = cid
    this.compressed = compressed
  }
}

/** Nobody sent a block that is not here. */
export class FetchStalledError extends Error {
  static override readonly name = 'FetchStalledError'
  override readonly name = 'FetchStalledError'
  readonly cid: CID
  /** How long nothing arrived, in milliseconds. */
  readonly time: number

  constructor (cid: CID, time: number, options?: ErrorOptions) {
    super(`The block ${cid} was not sent by anybody: nothing arrived for ${Math.round(time / 1000)} s`, options)
    this.cid = cid
    this.time = time
  }
}

/** Links are kept in a datastore, and there is none. */
export class LinksUnavailableError extends Error {
  static override readonly name = 'LinksUnavailableError'
  override readonly name = 'LinksUnavailableError'

  constructor () {
    super('Links need a datastore: give one to ipfsz({ blockstore, datastore })')
  }
}

/** The compressed file that an original is to be linked to is not stored here. */
export class LinkedFileMissingError extends Error {
  static override readonly name = 'LinkedFileMissingError'
  override readonly name = 'LinkedFileMissingError'
  readonly original: CID
  readonly compressed: CID

  constructor (original: CID, compressed: CID) {
    super(`${original} cannot be linked to ${compressed}, which is not stored here`)
    this.original = original
    this.compressed = compressed
  }
}

/**
 * An original is linked to a file that has other bytes. Or, where it is no raw CID,
 * the original was made with settings that are not known here.
 */
export class LinkMismatchError extends Error {
  static override readonly name = 'LinkMismatchError'
  override readonly name = 'LinkMismatchError'
  readonly original: CID
  readonly compressed: CID
  /** What says so: the header of the compressed file, or its bytes, all of them read. */
  readonly by: 'header' | 'bytes'
  /** The CIDs that the bytes have: by the header, or with each of the known settings. None where they are too many for a raw CID. */
  readonly found: readonly CID[]

  constructor (original: CID, compressed: CID, by: 'header' | 'bytes', found: readonly CID[]) {
    super(`${compressed} does not hold the bytes of ${original}: ${found.length === 0
      ? 'it has more bytes than a block may have'
      : `${by === 'header' ? 'according to its header, ' : ''}its bytes have the CID ${found[0]}`}`)
    this.original = original
    this.compressed = compressed
    this.by = by
    this.found = found
  }
}

/** Nothing shows that what an original is linked to is what it names, and what was asked for cannot be compared. */
export class UncheckedLinkError extends Error {
  static override readonly name = 'UncheckedLinkError'
  override readonly name = 'UncheckedLinkError'
  readonly original: CID
  readonly compressed: CID
  /** A part of a file, a directory, or a file whose original was made with settings that are not known. */
  readonly what: 'range' | 'directory' | 'settings'

  constructor (original: CID, compressed: CID, what: 'range' | 'directory' | 'settings') {
    super(`Cannot tell whether ${compressed} holds the bytes of ${original}${{
      range: ': a part of a file cannot be compared',
      directory: ': what leads to a directory cannot be compared',
      settings: ': it was linked unchecked, and none of the known settings gives its bytes that CID'
    }[what]}`)
    this.original = original
    this.compressed = compressed
    this.what = what
  }
}

/** An entry of a link in the datastore holds something else than CIDs. */
export class InvalidLinkError extends Error {
  static override readonly name = 'InvalidLinkError'
  override readonly name = 'InvalidLinkError'
  readonly key: string

  constructor (key: string, options?: ErrorOptions) {
    super(`The entry ${key} of the datastore is not that of a link`, options)
    this.key = key
  }
}

/** The bytes of a compressed file are not those of the original that its header names. */
export class ContentMismatchError extends Error {
  static override readonly name = 'ContentMismatchError'
  override readonly name = 'ContentMismatchError'
  readonly cid: CID
  /** What the header says. */
  readonly expected: CID
  /** What the bytes have. */
  readonly actual: CID

  constructor (cid: CID, expected: CID, actual: CID) {
    super(`The content of ${cid} has the CID ${actual} instead of ${expected}`)
    this.cid = cid
    this.expected = expected
    this.actual = actual
  }
}

/** What follows the frames of a file is not what its codec has there (docs/format.md, section 4). */
export class InvalidTrailerError extends Error {
  static override readonly name = 'InvalidTrailerError'
  override readonly name = 'InvalidTrailerError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The trailer of ${cid} is invalid: ${reason}`, options)
    this.cid = cid
  }
}

/** Something below a directory is damaged or missing: the cause says what. */
export class VerifyFailedError extends Error {
  static override readonly name = 'VerifyFailedError'
  override readonly name = 'VerifyFailedError'
  readonly cid: CID
  /** From the directory that was verified. */
  readonly path: string

  constructor (cid: CID, path: string, cause: unknown) {
    super(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.cid = cid
    this.path = path
  }
}
