import { NamedError } from '@ipfsz/utils/named-error'
import type { CID } from 'multiformats/cid'

/** Thrown when Kubo does not answer: nothing listens there, or it takes too long. */
export class KuboUnreachableError extends NamedError {
  static override readonly name = 'KuboUnreachableError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`Kubo does not answer: ${reason}`, options)
  }
}

/** Thrown when Kubo refuses the request: it wants credentials, or another origin. */
export class KuboForbiddenError extends NamedError {
  static override readonly name = 'KuboForbiddenError'
  /** The status of the response, 401 or 403. */
  readonly status: number

  constructor (status: number, options?: ErrorOptions) {
    super(`Kubo refuses the request (HTTP status ${status})`, options)
    this.status = status
  }
}

/** Thrown when the server is not Kubo's RPC API. */
export class NotKuboError extends NamedError {
  static override readonly name = 'NotKuboError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`The server does not behave like Kubo's RPC API: ${reason}`, options)
  }
}

/** Thrown when Kubo reports that an operation failed. */
export class KuboFailedError extends NamedError {
  static override readonly name = 'KuboFailedError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`Kubo says: ${reason}`, options)
  }
}

/** Thrown when Kubo answers with another CID than that of the block it was to store or pin. */
export class KuboCidMismatchError extends NamedError {
  static override readonly name = 'KuboCidMismatchError'
  readonly expected: CID
  readonly actual: CID

  constructor (expected: CID, actual: CID) {
    super(`Kubo answered with the CID ${actual} instead of ${expected}`)
    this.expected = expected
    this.actual = actual
  }
}

/** Thrown when Kubo cannot store blocks with this codec or hash function. */
export class KuboUnsupportedCidError extends NamedError {
  static override readonly name = 'KuboUnsupportedCidError'
  readonly cid: CID

  constructor (cid: CID) {
    const hash = cid.multihash.code.toString(16)
    super(`${cid} cannot be stored in Kubo: its codec 0x${cid.code.toString(16)} or hash 0x${hash} is not supported`)
    this.cid = cid
  }
}
