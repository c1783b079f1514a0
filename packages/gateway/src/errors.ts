// Above 250 lines: every error of the package is in this file, one class per failure that a caller could handle.
import { NamedError } from '@ipfsz/utils/named-error'
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { quoteName } from '@ipfsz/utils/quote-name'
import type { CID } from 'multiformats/cid'

/** Thrown when a request cannot be answered: the status and message of the response. */
export class GatewayError extends NamedError {
  static override readonly name: string = 'GatewayError'
  /** The HTTP status. */
  readonly status: number

  constructor (status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Thrown by a `NameResolver` when a name has no record. */
export class NameNotFoundError extends NamedError {
  static override readonly name = 'NameNotFoundError'
  /** The IPNS key or DNS name. */
  readonly subject: string

  constructor (subject: string, options?: ErrorOptions) {
    super(`The name ${subject} has no record`, options)
    this.subject = subject
  }
}

/** Thrown when a trusted proxy is not an address, a range of addresses, or `loopback`. */
export class InvalidProxyError extends NamedError {
  static override readonly name = 'InvalidProxyError'
  /** Without what may be a secret. */
  readonly proxy: string

  constructor (given: string, options?: ErrorOptions) {
    const proxy = hideSecrets(given)
    super(`${quoteName(proxy)} is not an IP address, a range such as 10.0.0.0/8, or loopback`, options)
    this.proxy = proxy
  }
}

/** Thrown when a path is invalid: its root is not a CID or name, or it is not percent-encoded correctly. */
export class InvalidPathError extends GatewayError {
  static override readonly name = 'InvalidPathError'
  /** As it was written. */
  readonly path: string

  constructor (path: string, reason: string, options?: ErrorOptions) {
    super(400, `invalid path ${quoteName(path)}: ${reason}`, options)
    this.path = path
  }
}

/** Thrown when the host of a request is not a host name, or its labels are not a CID or a name. */
export class InvalidHostError extends GatewayError {
  static override readonly name = 'InvalidHostError'
  readonly host: string

  constructor (host: string, reason: string) {
    super(400, `invalid host ${quoteName(host)}: ${reason}`)
    this.host = host
  }
}

/** Thrown when a root cannot have its own origin, because it is too long for a DNS label in every base. */
export class LabelTooLongError extends GatewayError {
  static override readonly name = 'LabelTooLongError'
  /** The CID or DNSLink name. */
  readonly root: string

  constructor (what: 'CID' | 'DNSLink name', root: string) {
    super(400, `${what} incompatible with DNS label length limit of 63: ${quoteName(root)}`)
    this.root = root
  }
}

/** Thrown when a path does not begin with `/ipfs/` or `/ipns/`. */
export class NotContentPathError extends GatewayError {
  static override readonly name = 'NotContentPathError'
  /** As it was written. */
  readonly path: string

  constructor (path: string, reason = 'paths begin with /ipfs/ or /ipns/', options?: ErrorOptions) {
    super(404, `nothing found at ${quoteName(path)}: ${reason}`, options)
    this.path = path
  }
}

/** Thrown when an entry in a path does not exist. */
export class EntryNotFoundError extends GatewayError {
  static override readonly name = 'EntryNotFoundError'
  /** The name that was not found. */
  readonly segment: string
  /** Where it was looked for. */
  readonly cid: CID

  constructor (segment: string, cid: CID, options?: ErrorOptions) {
    super(404, `no link named ${quoteName(segment)} under ${cid}`, options)
    this.segment = segment
    this.cid = cid
  }
}

/** Thrown when a name is requested, but the gateway has no resolver. */
export class NamesUnavailableError extends GatewayError {
  static override readonly name = 'NamesUnavailableError'
  /** The IPNS key or DNS name. */
  readonly subject: string

  constructor (subject: string) {
    super(501, `this gateway does not resolve names: ${quoteName(subject)}`)
    this.subject = subject
  }
}

/** Thrown when a path ends inside a DAG-CBOR or DAG-JSON document: a part of a block cannot be served. */
export class PathInDocumentError extends GatewayError {
  static override readonly name = 'PathInDocumentError'
  readonly cid: CID
  /** The path of the value inside the document. It is not a link. */
  readonly path: string

  constructor (cid: CID, path: string, options?: ErrorOptions) {
    super(501, `the path ends inside the document ${cid}: ${quoteName(path)} is not a link`, options)
    this.cid = cid
    this.path = path
  }
}

/** Thrown when a path leads through more bytes of blocks than are read for one request. */
export class PathTooCostlyError extends GatewayError {
  static override readonly name = 'PathTooCostlyError'
  /** The block that exceeded the limit. */
  readonly cid: CID
  /** Maximum number of bytes. */
  readonly limit: number

  constructor (cid: CID, limit: number) {
    super(422, `Resolving the path exceeds the limit of ${limit} bytes of blocks at ${cid}: request a shorter path`)
    this.cid = cid
    this.limit = limit
  }
}

/**
 * Thrown when following a path through the blocks of a request takes too long. The status is that of boxo for a
 * deadline, and of a response that does not start in time: a less busy gateway may answer. 503 would say that nothing
 * can be answered now, and a load balancer would take the gateway out.
 */
export class PathTooSlowError extends GatewayError {
  static override readonly name = 'PathTooSlowError'
  /** The block that exceeded the limit. */
  readonly cid: CID
  /** Maximum number of milliseconds. */
  readonly limit: number

  constructor (cid: CID, limit: number) {
    super(504, `Resolving the path exceeds the limit of ${limit} ms at ${cid}: request a shorter path`)
    this.cid = cid
    this.limit = limit
  }
}

/** Thrown when a block exceeds the maximum size that nodes exchange. */
export class BlockTooLargeError extends GatewayError {
  static override readonly name = 'BlockTooLargeError'
  readonly cid: CID
  /** In bytes. */
  readonly limit: number

  constructor (cid: CID, limit: number, options?: ErrorOptions) {
    super(422, `the block ${cid} exceeds the limit of ${limit} bytes`, options)
    this.cid = cid
    this.limit = limit
  }
}

/** Thrown when a `_redirects` file cannot be read, or is invalid. */
export class InvalidRedirectsFileError extends GatewayError {
  static override readonly name = 'InvalidRedirectsFileError'
  /** The number of the invalid line, starting at 1. Undefined if the error concerns the whole file. */
  readonly line: number | undefined

  constructor (reason: string, { line, ...options }: ErrorOptions & { line?: number } = {}) {
    super(500, `could not parse _redirects: ${line == null ? '' : `line ${line}: `}${reason}`, options)
    this.line = line
  }
}

/** Thrown when a CAR without duplicates has more blocks than can be tracked. `car-dups=y` has no such limit. */
export class CarTooLargeError extends NamedError {
  static override readonly name = 'CarTooLargeError'
  /** The limit. */
  readonly maxBlocks: number

  constructor (maxBlocks: number, options?: ErrorOptions) {
    super(`The CAR exceeds the limit of ${maxBlocks} blocks: request it with car-dups=y`, options)
    this.maxBlocks = maxBlocks
  }
}

/** The body of a response is incomplete, or would be: its connection must be closed. */
export abstract class BodyError extends NamedError {}

/** Thrown when no byte arrived for a body in time. */
export class BodyStalledError extends BodyError {
  static override readonly name = 'BodyStalledError'
  /** How long nothing arrived, in milliseconds. */
  readonly time: number

  constructor (time: number, options?: ErrorOptions) {
    super(`No byte of the body arrived for ${time} ms`, options)
    this.time = time
  }
}

/** Thrown when a body has more or fewer bytes than its `Content-Length`. */
export class BodyLengthError extends BodyError {
  static override readonly name = 'BodyLengthError'
  /** The `Content-Length`. */
  readonly expected: number
  /** The number of bytes received, or a lower bound. */
  readonly actual: number

  constructor (expected: number, actual: number, options?: ErrorOptions) {
    super(`The body has ${actual} bytes instead of ${expected}`, options)
    this.expected = expected
    this.actual = actual
  }
}

/** Thrown when a response would exceed the limit of decompressed bytes. */
export class BodyTooLargeError extends BodyError {
  static override readonly name = 'BodyTooLargeError'
  /** In bytes. */
  readonly limit: number

  constructor (limit: number, options?: ErrorOptions) {
    super(`This gateway decompresses at most ${limit} bytes per response: request ranges, or accept the encoding ` +
      'of the stored file', options)
    this.limit = limit
  }
}

/** Thrown when a response holds memory for too long while others wait for it: its client or a peer is too slow. */
export class ResponseTooSlowError extends BodyError {
  static override readonly name = 'ResponseTooSlowError'

  constructor (options?: ErrorOptions) {
    super('The response was too slow while others waited for memory', options)
  }
}
