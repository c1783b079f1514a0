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

/** Thrown when a CAR without duplicates has more blocks than can be remembered. With `car-dups=y` none are. */
export class CarTooLargeError extends Error {
  static override readonly name = 'CarTooLargeError'
  override readonly name = 'CarTooLargeError'
  /** The most blocks. */
  readonly maxBlocks: number

  constructor (maxBlocks: number, options?: ErrorOptions) {
    super(`The CAR has more than ${maxBlocks} blocks: ask for it with car-dups=y`, options)
    this.maxBlocks = maxBlocks
  }
}
