// Above 250 lines: every error of the package is in this file, one class per failure that a caller can handle.
import { NamedError } from '@ipfsz/utils/named-error'
import { messageOf } from '@ipfsz/utils/message-of'
import type { CID } from 'multiformats/cid'

export {
  CorruptFrameError,
  FrameTooLargeError,
  InvalidLevelError,
  MissingImplementationError,
  UnknownCodecError,
  WindowTooLargeError
} from '@ipfsz/codecs'
/** Helia's own classes: its verbs throw them too, and this package mirrors its API. */
export {
  AlreadyExistsError,
  DoesNotExistError,
  InvalidParametersError,
  NotADirectoryError,
  NotAFileError
} from '@helia/unixfs/errors'
export { CorruptBlockError, DigestLengthError, UnknownHashError } from '@ipfsz/utils/errors'

/** Thrown when a CID to mark is not dag-pb. */
export class NotMarkableError extends NamedError {
  static override readonly name = 'NotMarkableError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`Only a dag-pb CID can be marked: ${cid} has the codec 0x${cid.code.toString(16)}`)
    this.cid = cid
  }
}

/** Thrown when a code or name is not a marker, or not the marker of a compressed file. */
export class UnknownMarkerError extends NamedError {
  static override readonly name = 'UnknownMarkerError'
  readonly code: number | string

  constructor (code: number | string) {
    super(`${typeof code === 'number' ? `0x${code.toString(16)}` : code} is not a marker`)
    this.code = code
  }
}

/** Thrown when something is read of a file handle that was closed. */
export class FileClosedError extends NamedError {
  static override readonly name = 'FileClosedError'
  /** The CID that it was opened by. */
  readonly cid: CID

  constructor (cid: CID) {
    super(`The handle of ${cid} is closed: open the file again`)
    this.cid = cid
  }
}

/** Thrown when the frame size is out of range. */
export class InvalidFrameSizeError extends NamedError {
  static override readonly name = 'InvalidFrameSizeError'
  readonly frameSize: number
  readonly min: number
  readonly max: number

  constructor (frameSize: number, min: number, max: number) {
    super(`The frame size must be a whole number from ${min} to ${max} bytes, not ${frameSize}`)
    this.frameSize = frameSize
    this.min = min
    this.max = max
  }
}

/** Thrown when a file exceeds the maximum of 2^27 frames. */
export class FileTooLargeError extends NamedError {
  static override readonly name = 'FileTooLargeError'
  readonly frames: number
  readonly frameSize: number
  /** Which file of those that were added, if it has a path. */
  readonly path: string | undefined

  constructor (frames: number, frameSize: number, path?: string) {
    super(`${path ?? 'The file'} exceeds ${frames} frames of ${frameSize} bytes: choose a larger frameSize`)
    this.frames = frames
    this.frameSize = frameSize
    this.path = path
  }
}

/** The rules that a header can violate (docs/format.md, section 3). */
export type HeaderRule =
  | 'encoding'
  | 'version'
  | 'codec'
  | 'frame-size'
  | 'frame-count'
  | 'frame-length'
  | 'total-length'
  | 'dictionary'
  | 'filters'
  | 'regions'
  | 'groups'
  | 'base'
  | 'root'

/** Thrown when a file's header violates a rule of the format. */
export class InvalidHeaderError extends NamedError {
  static override readonly name = 'InvalidHeaderError'
  readonly rule: HeaderRule
  readonly cid: CID

  constructor (cid: CID, rule: HeaderRule, reason: string, options?: ErrorOptions) {
    super(`The header of ${cid} is invalid: ${reason}`, options)
    this.rule = rule
    this.cid = cid
  }
}

/** Thrown when a CID is marked as compressed, but its root block has no header. */
export class MissingHeaderError extends NamedError {
  static override readonly name = 'MissingHeaderError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} is marked as compressed, but its root block has no header`)
    this.cid = cid
  }
}

/** Thrown when a block is not UnixFS. Has the same name as Helia's error. */
export class NotUnixFSError extends NamedError {
  static override readonly name = 'NotUnixFSError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The block ${cid} is not UnixFS: ${reason}`, options)
    this.cid = cid
  }
}

const DAG_CBOR = 0x71
const DAG_JSON = 0x0129

/** The error for a CID whose codec is neither dag-pb nor raw. */
export function notUnixFS (cid: CID): NotUnixFSError {
  const name = cid.code === DAG_CBOR ? 'dag-cbor' : cid.code === DAG_JSON ? 'dag-json' : undefined

  return new NotUnixFSError(cid, `it has the codec 0x${cid.code.toString(16)}${name == null ? '' : ` (${name})`}`)
}

/** Thrown when a block contradicts the block that links to it, or exceeds a limit. */
export class InvalidDagError extends NamedError {
  static override readonly name = 'InvalidDagError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The block ${cid} ${reason}`, options)
    this.cid = cid
  }
}

/** Thrown when there are more blocks below a CID than `maxBlocks`. */
export class DagTooLargeError extends NamedError {
  static override readonly name = 'DagTooLargeError'
  readonly maxBlocks: number

  constructor (maxBlocks: number) {
    super(`There are more than ${maxBlocks} blocks to measure`)
    this.maxBlocks = maxBlocks
  }
}

/** Thrown when a block is missing. Has the same name as the error of blockstores. */
export class NotFoundError extends NamedError {
  static override readonly name = 'NotFoundError'
  readonly cid: CID
  /** The compressed file that the CID is linked to, which is missing too. */
  readonly compressed: CID | undefined

  constructor (cid: CID, { compressed, ...options }: ErrorOptions & { compressed?: CID } = {}) {
    super(compressed == null
      ? `The block ${cid} was not found`
      : `Neither the block ${cid} nor the compressed file ${compressed} that it is linked to was found`, options)
    this.cid = cid
    this.compressed = compressed
  }
}

/**
 * Thrown when a file cannot be a base: a directory, a file of fewer than 8 bytes or of 4 GiB as stored, one that has
 * a base itself, or one that cannot be decompressed.
 */
export class InvalidBaseError extends NamedError {
  static override readonly name = 'InvalidBaseError'
  readonly base: CID
  /** The base of the file, if it is refused for that. */
  readonly baseOfBase: CID | undefined

  constructor (base: CID, reason: string, { baseOfBase, ...options }: ErrorOptions & { baseOfBase?: CID } = {}) {
    super(`${base} cannot be a base: ${reason}`, options)
    this.base = base
    this.baseOfBase = baseOfBase
  }
}

/** Thrown when a file cannot be read because its base cannot. `cause` says why: a block is missing, for example. */
export class UnreadableBaseError extends NamedError {
  static override readonly name = 'UnreadableBaseError'
  readonly cid: CID
  readonly base: CID

  constructor (cid: CID, base: CID, cause: unknown) {
    super(`The file ${cid} needs its base ${base}, which cannot be read: ${messageOf(cause)}`, { cause })
    this.cid = cid
    this.base = base
  }
}

/**
 * Thrown when a frame cannot be decompressed with the base that its file names, although every block of both is as it
 * was written: its author named another base, or wrote the frame incorrectly. `cause` says what the codec found.
 */
export class WrongBaseError extends NamedError {
  static override readonly name = 'WrongBaseError'
  readonly cid: CID
  readonly base: CID

  constructor (cid: CID, base: CID, cause: unknown) {
    super(`The file ${cid} cannot be decompressed with its base ${base}: ${messageOf(cause)}`, { cause })
    this.cid = cid
    this.base = base
  }
}

/** Thrown when the frames of a file are in so many places of its base that reading them would take far too long. */
export class BaseTooCostlyError extends NamedError {
  static override readonly name = 'BaseTooCostlyError'
  readonly cid: CID
  readonly base: CID
  /** Maximum number of original bytes of the base, for the frames that were read. */
  readonly limit: number

  constructor (cid: CID, base: CID, limit: number, options?: ErrorOptions) {
    super(`The file ${cid} exceeds the limit of ${limit} bytes of its base ${base} for so few bytes`, options)
    this.cid = cid
    this.base = base
    this.limit = limit
  }
}

/**
 * Thrown when a block is missing or damaged locally, and the call may not fetch it. It has the name of Helia's error:
 * callers recognize by it that the blockstore can also fetch blocks.
 */
export class BlockNotFoundWhileOfflineError extends NamedError {
  static override readonly name = 'BlockNotFoundWhileOfflineError'
  readonly cid: CID

  /** @param place - where the block was looked for; ends the sentence "The block CID is missing or damaged in " */
  constructor (cid: CID, place: string, options?: ErrorOptions) {
    super(`The block ${cid} is missing or damaged in ${place}`, options)
    this.cid = cid
  }
}

/** Thrown when no peer sends a missing block in time. */
export class FetchStalledError extends NamedError {
  static override readonly name = 'FetchStalledError'
  readonly cid: CID
  /** How long nothing arrived, in milliseconds. */
  readonly time: number
  /** How many providers were found. Undefined if unknown, as with Helia. */
  readonly providers: number | undefined
  /** How many peers were asked, if all of them lack the block and no other peer could be asked. */
  readonly asked: number | undefined
  /** Why each gateway that was asked sent nothing, if it said so. */
  readonly failures: readonly Error[]

  constructor (
    cid: CID,
    time: number,
    { providers, asked, failures = [], ...options }: ErrorOptions & {
      providers?: number
      asked?: number
      failures?: readonly Error[]
    } = {}
  ) {
    const silence = `Nothing arrived for ${Math.round(time / 100) / 10} s while waiting for the block ${cid}`
    super(asked == null
      ? [`${silence}${sendersOf(providers)}`, ...failures.map(messageOf)].join('; ')
      : `The ${asked === 1 ? 'only peer that was asked does' : `${asked} peers that were asked do`} not have the ` +
        `block ${cid}`,
    options)
    this.cid = cid
    this.time = time
    this.providers = providers
    this.asked = asked
    this.failures = failures
  }
}

function sendersOf (providers: number | undefined): string {
  switch (providers) {
    case undefined:
      return ''
    case 0:
      return ': no provider was found'
    case 1:
      return ': the only provider of its DAG did not send it'
    default:
      return `: the ${providers} providers of its DAG did not send it`
  }
}

/** Thrown when links are used without a datastore. */
export class LinksUnavailableError extends NamedError {
  static override readonly name = 'LinksUnavailableError'

  constructor () {
    super('Links require a datastore: pass one to ipfsz({ blockstore, datastore })')
  }
}

/** Thrown when the compressed side of a new link is not stored locally. */
export class LinkedFileMissingError extends NamedError {
  static override readonly name = 'LinkedFileMissingError'
  readonly original: CID
  readonly compressed: CID

  constructor (original: CID, compressed: CID) {
    super(`Cannot link ${original} to ${compressed}: it is not stored locally`)
    this.original = original
    this.compressed = compressed
  }
}

/**
 * Thrown when an original is linked to a file with other bytes, or when the original is a dag-pb
 * CID that was made with importer settings that IPFSz does not know.
 */
export class LinkMismatchError extends NamedError {
  static override readonly name = 'LinkMismatchError'
  readonly original: CID
  readonly compressed: CID
  /** How it was detected: by the header of the compressed file, its bytes, or the kind of both CIDs. */
  readonly by: 'header' | 'bytes' | 'kind'
  /** The CIDs that the bytes do have: from the header, or for each known layout. Empty if the original is smaller. */
  readonly found: readonly CID[]

  constructor (original: CID, compressed: CID, by: LinkMismatchError['by'], found: readonly CID[]) {
    const source = by === 'header' ? 'according to its header, ' : ''
    const larger = by === 'kind'
      ? 'a file or directory of its type and size cannot have that CID'
      : 'it has more bytes than that CID can have'
    const difference = found.length === 0 ? larger : `${source}its bytes have the CID ${found[0]}`

    super(`${compressed} does not hold the bytes of ${original}: ${difference}`)
    this.original = original
    this.compressed = compressed
    this.by = by
    this.found = found
  }
}

/** Thrown when a link is unchecked, and the bytes read through it cannot be compared with the original. */
export class UncheckedLinkError extends NamedError {
  static override readonly name = 'UncheckedLinkError'
  readonly original: CID
  readonly compressed: CID
  /** A part of a file, a directory, or a file whose original was made with unknown importer settings. */
  readonly what: 'range' | 'directory' | 'settings'

  constructor (original: CID, compressed: CID, what: 'range' | 'directory' | 'settings') {
    super(`Cannot check whether ${compressed} holds the bytes of ${original}${{
      range: ': only a whole file can be compared',
      directory: ': a directory cannot be compared',
      settings: ': the link is unchecked, and no known importer settings produce that CID from its bytes'
    }[what]}`)
    this.original = original
    this.compressed = compressed
    this.what = what
  }
}

/** Thrown when a link's entry in the datastore does not consist of CIDs. */
export class InvalidLinkError extends NamedError {
  static override readonly name = 'InvalidLinkError'
  readonly key: string

  constructor (key: string, options?: ErrorOptions) {
    super(`The datastore entry ${key} is not a valid link`, options)
    this.key = key
  }
}

/** Thrown when a compressed file's bytes do not match the content CID in its header. */
export class ContentMismatchError extends NamedError {
  static override readonly name = 'ContentMismatchError'
  readonly cid: CID
  /** From the header. */
  readonly expected: CID
  /** From the bytes. */
  readonly actual: CID

  constructor (cid: CID, expected: CID, actual: CID) {
    super(`The content of ${cid} has the CID ${actual} instead of ${expected}`)
    this.cid = cid
    this.expected = expected
    this.actual = actual
  }
}

/** Thrown when the bytes after a file's frames are not a valid trailer of its codec (docs/format.md, section 4). */
export class InvalidTrailerError extends NamedError {
  static override readonly name = 'InvalidTrailerError'
  readonly cid: CID

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The trailer of ${cid} is invalid: ${reason}`, options)
    this.cid = cid
  }
}

/** Thrown when an entry below the verified directory is damaged or missing. `cause` is the reason. */
export class VerifyFailedError extends NamedError {
  static override readonly name = 'VerifyFailedError'
  readonly cid: CID
  /** Relative to the verified directory. */
  readonly path: string

  constructor (cid: CID, path: string, cause: unknown) {
    super(`${path}: ${messageOf(cause)}`, { cause })
    this.cid = cid
    this.path = path
  }
}

/** Thrown when an entry of the index of originals cannot be read. */
export class InvalidOriginalError extends NamedError {
  static override readonly name = 'InvalidOriginalError'
  readonly key: string

  constructor (key: string, options?: ErrorOptions) {
    super(`The datastore entry ${key} is not a valid index entry of an original`, options)
    this.key = key
  }
}

/** Thrown when a compressed file does not decode to the block of its original that the index promises. */
export class OriginalMismatchError extends NamedError {
  static override readonly name = 'OriginalMismatchError'
  /** The block of the original. */
  readonly cid: CID
  readonly compressed: CID

  constructor (cid: CID, compressed: CID, reason: string, options?: ErrorOptions) {
    super(`${compressed} does not hold the block ${cid} of its original: ${reason}`, options)
    this.cid = cid
    this.compressed = compressed
  }
}

/** Thrown when a tree has a compressed file whose original is unknown, so that the original tree is unknown too. */
export class UnlinkedFileError extends NamedError {
  static override readonly name = 'UnlinkedFileError'
  /** The compressed file. */
  readonly cid: CID

  constructor (cid: CID) {
    super(`The compressed file ${cid} is not linked to its original`)
    this.cid = cid
  }
}

/** Thrown when too many requests for blocks of originals are waiting for decompression. */
export class DecodeQueueFullError extends NamedError {
  static override readonly name = 'DecodeQueueFullError'
  readonly waiting: number

  constructor (waiting: number) {
    super(`${waiting} frames are already waiting for decompression`)
    this.waiting = waiting
  }
}
