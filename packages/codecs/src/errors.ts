/**
 * A frame that is not exactly one frame of its codec holding exactly the
 * expected number of bytes: cut short, damaged, followed by other bytes, of
 * another codec, or decoding to too much or too little.
 */
export class CorruptFrameError extends Error {
  static override readonly name = 'CorruptFrameError'
  override readonly name = 'CorruptFrameError'
  readonly codec: string
  /** What is wrong with it. */
  readonly reason: string

  constructor (codec: string, reason: string, options?: ErrorOptions) {
    super(`Corrupt ${codec} frame: ${reason}`, options)
    this.codec = codec
    this.reason = reason
  }
}

/**
 * More bytes than a frame may hold were given, or asked for.
 */
export class FrameTooLargeError extends Error {
  static override readonly name = 'FrameTooLargeError'
  override readonly name = 'FrameTooLargeError'
  readonly size: number
  readonly max: number

  constructor (size: number, max: number) {
    super(`A frame holds 0 to ${max} bytes, not ${size}`)
    this.size = size
    this.max = max
  }
}

/**
 * A compression level that the codec does not have.
 */
export class InvalidLevelError extends Error {
  static override readonly name = 'InvalidLevelError'
  override readonly name = 'InvalidLevelError'
  readonly codec: string
  readonly level: number
  readonly min: number
  readonly max: number

  constructor (codec: string, level: number, min: number, max: number) {
    super(min === max
      ? `${codec} has one level, ${min}, not ${level}`
      : `${codec} has the levels ${min} to ${max}, not ${level}`)
    this.codec = codec
    this.level = level
    this.min = min
    this.max = max
  }
}

/**
 * No implementation of a codec can do what was asked on this platform: the one
 * asked for does not exist here, or only decompresses.
 */
export class MissingImplementationError extends Error {
  static override readonly name = 'MissingImplementationError'
  override readonly name = 'MissingImplementationError'
  readonly codec: string
  readonly implementation: string

  constructor (codec: string, implementation: string, reason: string, options?: ErrorOptions) {
    super(`The ${implementation} implementation of ${codec} ${reason}`, options)
    this.codec = codec
    this.implementation = implementation
  }
}

/**
 * A codec name that is none of the known ones.
 */
export class UnknownCodecError extends Error {
  static override readonly name = 'UnknownCodecError'
  override readonly name = 'UnknownCodecError'
  readonly codec: string | number

  constructor (codec: string | number, known: readonly string[]) {
    super(`Unknown codec ${typeof codec === 'number' ? `0x${codec.toString(16)}` : `"${codec}"`}, known are ${known.join(', ')}`)
    this.codec = codec
  }
}

/**
 * A stream needs more memory to look back than is allowed.
 */
export class WindowTooLargeError extends Error {
  static override readonly name = 'WindowTooLargeError'
  override readonly name = 'WindowTooLargeError'
  readonly codec: string
  /** What it asks for, in bytes. */
  readonly size: number
  readonly max: number

  constructor (codec: string, size: number, max: number) {
    super(`A ${codec} stream needs a window of ${size} bytes, at most ${max} are allowed`)
    this.codec = codec
    this.size = size
    this.max = max
  }
}

/**
 * The worker that ran a call ended before it had answered. The call is lost, the
 * next one gets another worker.
 */
export class WorkerCrashedError extends Error {
  static override readonly name = 'WorkerCrashedError'
  override readonly name = 'WorkerCrashedError'
  readonly codec: string

  constructor (codec: string, options?: ErrorOptions) {
    super(`The worker that ran ${codec} ended before it had answered`, options)
    this.codec = codec
  }
}

/**
 * No worker can be started here. Never seen by callers: what should have run in
 * one runs on the thread that called.
 */
export class WorkersUnavailableError extends Error {
  static override readonly name = 'WorkersUnavailableError'
  override readonly name = 'WorkersUnavailableError'
}
