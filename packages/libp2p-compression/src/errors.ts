import { NamedError } from '@ipfsz/utils/named-error'

/** Thrown when the other side sends an invalid frame. The connection is reset. */
export class MalformedFrameError extends NamedError {
  static override readonly name = 'MalformedFrameError'
  /** The first byte of the frame. */
  readonly type: number
  /** What is wrong with the frame. */
  readonly reason: string

  constructor (type: number, reason: string) {
    super(`Malformed frame of type ${type}: ${reason}`)
    this.type = type
    this.reason = reason
  }
}

/**
 * Thrown when the other side sends frames that decode to far more bytes than they have on
 * the wire. The connection is reset before the frame is decompressed.
 */
export class DecompressionBombError extends NamedError {
  static override readonly name = 'DecompressionBombError'
  /** By how many bytes the frames exceed the limit of the wire format. */
  readonly excess: number
  /** The maximum ratio of decoded bytes to bytes on the wire. */
  readonly maxRatio: number

  constructor (excess: number, maxRatio: number) {
    super(`Decoded frames exceed the limit of ${maxRatio} times their size on the wire by ${excess} bytes`)
    this.excess = excess
    this.maxRatio = maxRatio
  }
}

/** Thrown when the connection ends within a frame. */
export class TruncatedFrameError extends NamedError {
  static override readonly name = 'TruncatedFrameError'
  /** How many bytes of the frame are missing, or undefined if its header is incomplete. */
  readonly missing: number | undefined

  constructor (missing: number | undefined) {
    super(missing == null
      ? 'The connection ended within the header of a frame'
      : `The connection ended ${missing} bytes before the end of a frame`)
    this.missing = missing
  }
}
