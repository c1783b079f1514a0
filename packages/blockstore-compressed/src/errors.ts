import type { CID } from 'multiformats/cid'

export { InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'

/** An option, or a store to wrap, that makes no sense. */
export class InvalidParametersError extends Error {
  static override readonly name = 'InvalidParametersError'
  override readonly name = 'InvalidParametersError'
}

/**
 * What is stored under a CID is not its block: it was damaged, cut short, or written
 * by somebody who lied. Where a frame of a codec is at fault, the cause says how.
 */
export class CorruptBlockError extends Error {
  static override readonly name = 'CorruptBlockError'
  override readonly name = 'CorruptBlockError'
  readonly cid: CID
  /** What is wrong with it. */
  readonly reason: string

  constructor (cid: CID, reason: string, options?: ErrorOptions) {
    super(`The stored block ${cid} is corrupt: ${reason}`, options)
    this.cid = cid
    this.reason = reason
  }
}

/** A block has more bytes than the store takes, or says so. */
export class BlockTooLargeError extends Error {
  static override readonly name = 'BlockTooLargeError'
  override readonly name = 'BlockTooLargeError'
  readonly cid: CID
  /** In bytes: of a stream that was given up, what had been read. */
  readonly size: number
  readonly max: number

  constructor (cid: CID, size: number, max: number) {
    super(`The block ${cid} has ${size} bytes or more, at most ${max} are allowed`)
    this.cid = cid
    this.size = size
    this.max = max
  }
}

/** A block is stored with a codec that this store was not given, or that a later version of the format has. */
export class UnsupportedCodecError extends Error {
  static override readonly name = 'UnsupportedCodecError'
  override readonly name = 'UnsupportedCodecError'
  readonly cid: CID
  /** The marker code. */
  readonly code: number

  constructor (cid: CID, code: number, known: readonly string[]) {
    super(`The block ${cid} is stored with the codec 0x${code.toString(16)}, this store has ${known.join(', ')}`)
    this.cid = cid
    this.code = code
  }
}

/**
 * Bytes cannot be compared with a CID: its hash function is not known here, or its
 * digest is too short to mean anything. Named as Helia names it.
 */
export class UnknownHashAlgorithmError extends Error {
  static override readonly name = 'UnknownHashAlgorithmError'
  override readonly name = 'UnknownHashAlgorithmError'
  readonly cid: CID
  /** The multicodec of the hash function. */
  readonly code: number

  constructor (cid: CID) {
    super(`No block can be compared with ${cid}: its hash function 0x${cid.multihash.code.toString(16)} is not known here, or its digest of ${cid.multihash.digest.byteLength} bytes too short. Give the function in "hashers"`)
    this.cid = cid
    this.code = cid.multihash.code
  }
}
