/** Thrown when a request cannot be answered: the status and what to say of it. */
export class GatewayError extends Error {
  static override readonly name = 'GatewayError'
  override readonly name = 'GatewayError'
  /** The HTTP status. */
  readonly status: number

  constructor (status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Thrown by a `NameResolver` when a name has no record. */
export class NameNotFoundError extends Error {
  static override readonly name = 'NameNotFoundError'
  override readonly name = 'NameNotFoundError'
  /** The IPNS key or DNS name. */
  readonly subject: string

  constructor (subject: string, options?: ErrorOptions) {
    super(`The name ${subject} has no record`, options)
    this.subject = subject
  }
}

/** The body of a response ends too soon, or would: its connection must be cut. */
export abstract class BodyError extends Error {}

/** Thrown when no byte arrived for a body in time. */
export class BodyStalledError extends BodyError {
  static override readonly name = 'BodyStalledError'
  override readonly name = 'BodyStalledError'
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
  override readonly name = 'BodyLengthError'
  /** Bytes that the header promised. */
  readonly expected: number
  /** Bytes that there were, at least. */
  readonly actual: number

  constructor (expected: number, actual: number, options?: ErrorOptions) {
    super(`The body has ${actual} bytes instead of ${expected}`, options)
    this.expected = expected
    this.actual = actual
  }
}

/** Thrown when a body of unknown size decompresses to more than is allowed. */
export class BodyTooLargeError extends BodyError {
  static override readonly name = 'BodyTooLargeError'
  override readonly name = 'BodyTooLargeError'
  /** In bytes. */
  readonly limit: number

  constructor (limit: number, options?: ErrorOptions) {
    super(`The file decompresses to more than ${limit} bytes`, options)
    this.limit = limit
  }
}
