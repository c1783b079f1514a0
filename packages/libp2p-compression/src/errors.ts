/**
 * The other side sent what is no frame, or one that it may not send. The connection
 * is reset.
 */
export class MalformedFrameError extends Error {
  static override readonly name = 'MalformedFrameError'
  override readonly name = 'MalformedFrameError'
  /** The first byte of the frame. */
  readonly type: number
  /** What is wrong with it. */
  readonly reason: string

  constructor (type: number, reason: string) {
    super(`Malformed frame of type ${type}: ${reason}`)
    this.type = type
    this.reason = reason
  }
}

/**
 * The other side sent frames that decode to far more than they take on the wire. The
 * connection is reset before the frame is decompressed.
 */
export class DecompressionBombError extends Error {
  static override readonly name = 'DecompressionBombError'
  override readonly name = 'DecompressionBombError'
  /** How many bytes more it would be than the wire format allows. */
  readonly excess: number
  /** How many times the bytes on the wire are allowed. */
  readonly maxRatio: number

  constructor (excess: number, maxRatio: number) {
    super(`Frames decode to ${excess} bytes more than ${maxRatio} times what they take on the wire, and what is allowed beyond`)
    this.excess = excess
    this.maxRatio = maxRatio
  }
}

/**
 * The connection ended within a frame.
 */
export class TruncatedFrameError extends Error {
  static override readonly name = 'TruncatedFrameError'
  override readonly name = 'TruncatedFrameError'
  /** How many bytes of the frame are missing, undefined where its header is not complete either. */
  readonly missing: number | undefined

  constructor (missing: number | undefined) {
    super(missing == null ? 'The connection ended within the header of a frame' : `The connection ended ${missing} bytes before the end of a frame`)
    this.missing = missing
  }
}
