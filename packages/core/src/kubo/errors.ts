import type { CID } from 'multiformats/cid'

/** There is no answer: nothing listens there, or it takes too long. */
export class KuboUnreachableError extends Error {
  static override readonly name = 'KuboUnreachableError'
  override readonly name = 'KuboUnreachableError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`Kubo does not answer: ${reason}`, options)
  }
}

/** The node lets nobody do this who calls as was called: it wants credentials, or another origin. */
export class KuboForbiddenError extends Error {
  static override readonly name = 'KuboForbiddenError'
  override readonly name = 'KuboForbiddenError'
  /** The status of the response, 401 or 403. */
  readonly status: number

  constructor (status: number, options?: ErrorOptions) {
    super(`Kubo does not allow this (HTTP status ${status})`, options)
    this.status = status
  }
}

/** Whatever answers there is no RPC API of Kubo. */
export class NotKuboError extends Error {
  static override readonly name = 'NotKuboError'
  override readonly name = 'NotKuboError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`What answers is not the RPC API of Kubo: ${reason}`, options)
  }
}

/** Kubo says that something went wrong. */
export class KuboFailedError extends Error {
  static override readonly name = 'KuboFailedError'
  override readonly name = 'KuboFailedError'

  constructor (reason: string, options?: ErrorOptions) {
    super(`Kubo says: ${reason}`, options)
  }
}

/** Kubo answers with another CID than that of the block which it was given, or was to pin. */
export class KuboCidMismatchError extends Error {
  static override readonly name = 'KuboCidMismatchError'
  override readonly name = 'KuboCidMismatchError'
  readonly expected: CID
  readonly actual: CID

  constructor (expected: CID, actual: CID) {
    super(`Kubo answers with the CID ${actual} instead of ${expected}`)
    this.expected = expected
    this.actual = actual
  }
}

/** Kubo makes no CIDs of this codec or hash function. */
export class KuboUnsupportedCidError extends Error {
  static override readonly name = 'KuboUnsupportedCidError'
  override readonly name = 'KuboUnsupportedCidError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`${cid} has the codec 0x${cid.code.toString(16)} and the hash function 0x${cid.multihash.code.toString(16)}, which is not known how to put into Kubo`)
    this.cid = cid
  }
}
