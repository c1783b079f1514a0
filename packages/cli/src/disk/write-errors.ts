/** Thrown when a file or tree is larger than `--max-size` or `--max-files` allows. */
export class OutputTooLargeError extends Error {
  static override readonly name = 'OutputTooLargeError'
  override readonly name = 'OutputTooLargeError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly allowed: number

  /** @param reason - the size found and the size allowed, for the message */
  constructor (path: string, limit: OutputTooLargeError['limit'], allowed: number, reason: string) {
    super(`${path}: ${reason}. To write it anyway, allow more with --max-${limit}`)
    this.path = path
    this.limit = limit
    this.allowed = allowed
  }
}

/** Thrown when the disk has too little room for a file or tree. */
export class NoRoomError extends Error {
  static override readonly name = 'NoRoomError'
  override readonly name = 'NoRoomError'
  readonly path: string
  readonly limit: 'size' | 'files'
  /** In bytes, or in files, directories and symlinks together. */
  readonly needed: number
  readonly free: number

  /** @param reason - the room needed and the room left, for the message */
  constructor (path: string, limit: NoRoomError['limit'], needed: number, free: number, reason: string) {
    super(`${path}: ${reason}. Free some space, or write to another disk with -o`)
    this.path = path
    this.limit = limit
    this.needed = needed
    this.free = free
  }
}
