import { NamedError } from '@ipfsz/utils/named-error'

/**
 * Thrown by every write after a sync has failed: a system may forget what it could not write, so that the next sync
 * would succeed without it. Open the store again.
 */
export class StoreFailedError extends NamedError {
  static override readonly name = 'StoreFailedError'

  constructor (options: ErrorOptions) {
    super('A sync failed, so the store accepts no more writes. Check the disk, then open the store again', options)
  }
}

/** Thrown when a block is larger than a pack can store. */
export class BlockTooLargeError extends NamedError {
  static override readonly name = 'BlockTooLargeError'
  readonly size: number
  readonly max: number

  constructor (size: number, max: number) {
    super(`The block has at least ${size} bytes, which exceeds the limit of ${max} bytes`)
    this.size = size
    this.max = max
  }
}

/** Thrown when bytes of a pack are not what they should be. */
export class DamagedPackError extends NamedError {
  static override readonly name = 'DamagedPackError'
  /** The ID of the pack. */
  readonly pack: string
  /** The offset in the pack, in bytes, of the frame or group that is damaged. */
  readonly offset: number

  constructor (pack: string, offset: number, reason: string, options?: ErrorOptions) {
    super(`The pack ${pack} is damaged at ${offset}: ${reason}`, options)
    this.pack = pack
    this.offset = offset
  }
}

/** Thrown by `delete` and `repack` if a pack without an index cannot be read: nobody knows what is in it. */
export class UnreadablePackError extends NamedError {
  static override readonly name = 'UnreadablePackError'
  /** The ID of the pack. */
  readonly pack: string

  constructor (pack: string, options: ErrorOptions) {
    super(`Cannot read the pack ${pack}. Check its permissions, and the disk`, options)
    this.pack = pack
  }
}

/** Thrown when an index file is not what it should be. It is made again from the packs. */
export class DamagedIndexError extends NamedError {
  static override readonly name = 'DamagedIndexError'

  constructor (name: string, reason: string, options?: ErrorOptions) {
    super(`The index ${name} is damaged: ${reason}`, options)
  }
}

/** Thrown when the store is used before `open`, or after `close`. */
export class StoreClosedError extends NamedError {
  static override readonly name = 'StoreClosedError'

  constructor () {
    super('The store is not open')
  }
}
