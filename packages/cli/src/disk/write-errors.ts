/** What would be written to disk is more than `--max-size` or `--max-files` allows. */
export class OutputTooLargeError extends Error {
  static override readonly name = 'OutputTooLargeError'
  override readonly name = 'OutputTooLargeError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly allowed: number

  /** @param reason - what there is, and what is allowed, for people */
  constructor (path: string, limit: OutputTooLargeError['limit'], allowed: number, reason: string) {
    super(`${path}: ${reason}. If that is meant, allow more with --max-${limit}`)
    this.path = path
    this.limit = limit
    this.allowed = allowed
  }
}

/** The disk has not the room for what would be written to it. */
export class NoRoomError extends Error {
  static override readonly name = 'NoRoomError'
  override readonly name = 'NoRoomError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly needed: number
  readonly free: number

  /** @param reason - what is needed, and what is free, for people */
  constructor (path: string, limit: NoRoomError['limit'], needed: number, free: number, reason: string) {
    super(`${path}: ${reason}: free some space, or write to another disk with -o`)
    this.path = path
    this.limit = limit
    this.needed = needed
    this.free = free
  }
}
