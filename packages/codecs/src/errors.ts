import { NamedError } from '@ipfsz/utils/named-error'

/** Options of a {@link CorruptFrameError}. */
export interface CorruptFrameErrorOptions extends ErrorOptions {
  /**
   * Whether the frame may be fine, but was compressed with a dictionary that is not part of it.
   *
   * @default false
   */
  needsDictionary?: boolean
}

/**
 * Thrown when bytes are not exactly one frame of the codec with the expected size: truncated,
 * damaged, followed by other bytes, of another codec, too large or too small.
 */
export class CorruptFrameError extends NamedError {
  static override readonly name = 'CorruptFrameError'
  readonly codec: string
  /** What is wrong with the frame. */
  readonly reason: string
  /** Whether the frame may be fine, but was compressed with a dictionary that is not part of it. */
  readonly needsDictionary: boolean

  constructor (codec: string, reason: string, { needsDictionary = false, ...options }: CorruptFrameErrorOptions = {}) {
    super(`Corrupt ${codec} frame: ${reason}`, options)
    this.codec = codec
    this.reason = reason
    this.needsDictionary = needsDictionary
  }
}

/** Thrown when a dictionary is passed to a codec that does not support one. */
export class DictionaryNotSupportedError extends NamedError {
  static override readonly name = 'DictionaryNotSupportedError'
  readonly codec: string
  readonly implementation: string

  constructor (codec: string, implementation: string) {
    super(`${codec} (${implementation}) does not support dictionaries`)
    this.codec = codec
    this.implementation = implementation
  }
}

/** Thrown when the data to compress or decompress exceeds the maximum size of a frame. */
export class FrameTooLargeError extends NamedError {
  static override readonly name = 'FrameTooLargeError'
  readonly size: number
  readonly max: number

  constructor (size: number, max: number) {
    super(`A frame can hold 0 to ${max} bytes, not ${size}`)
    this.size = size
    this.max = max
  }
}

/** Thrown when a dictionary is invalid: too short, too long, or not raw content. */
export class InvalidDictionaryError extends NamedError {
  static override readonly name = 'InvalidDictionaryError'
  /** How many bytes were given. */
  readonly size: number
  /** What is wrong with them. */
  readonly reason: string

  constructor (size: number, reason: string) {
    super(`Invalid dictionary of ${size} bytes: ${reason}`)
    this.size = size
    this.reason = reason
  }
}

/** Thrown when a codec does not have the requested level. */
export class InvalidLevelError extends NamedError {
  static override readonly name = 'InvalidLevelError'
  readonly codec: string
  readonly level: number
  readonly min: number
  readonly max: number

  constructor (codec: string, level: number, min: number, max: number) {
    super(min === max
      ? `${codec} has no level ${level}, only ${min}`
      : `${codec} has no level ${level}, only ${min} to ${max}`)
    this.codec = codec
    this.level = level
    this.min = min
    this.max = max
  }
}

/** Thrown when the requested implementation is missing on this platform, or supports only one direction. */
export class MissingImplementationError extends NamedError {
  static override readonly name = 'MissingImplementationError'
  readonly codec: string
  readonly implementation: string

  constructor (codec: string, implementation: string, reason: string, options?: ErrorOptions) {
    super(`The ${implementation} implementation of ${codec} ${reason}`, options)
    this.codec = codec
    this.implementation = implementation
  }
}

/** Thrown when no codec has the given name or code. */
export class UnknownCodecError extends NamedError {
  static override readonly name = 'UnknownCodecError'
  readonly codec: string | number

  constructor (codec: string | number, known: readonly string[]) {
    const name = typeof codec === 'number' ? `0x${codec.toString(16)}` : `"${codec}"`

    super(`Unknown codec ${name}: use one of ${known.join(', ')}`)
    this.codec = codec
  }
}

/** Thrown when the window of a stream exceeds `maxWindowSize`. */
export class WindowTooLargeError extends NamedError {
  static override readonly name = 'WindowTooLargeError'
  readonly codec: string
  /** The window that the stream needs, in bytes. */
  readonly size: number
  readonly max: number

  constructor (codec: string, size: number, max: number) {
    super(`The ${codec} stream needs a window of ${size} bytes, which exceeds the limit of ${max} bytes`)
    this.codec = codec
    this.size = size
    this.max = max
  }
}

/** Thrown when a worker exits before it returns a result. The call fails; the next call uses another worker. */
export class WorkerCrashedError extends NamedError {
  static override readonly name = 'WorkerCrashedError'
  readonly codec: string

  constructor (codec: string, options?: ErrorOptions) {
    super(`A worker crashed while running ${codec}: try again`, options)
    this.codec = codec
  }
}

/** Thrown only inside this package when no worker can be started. The call then runs on the calling thread. */
export class WorkersUnavailableError extends NamedError {
  static override readonly name = 'WorkersUnavailableError'
}

/**
 * Thrown when a frame does not decode to the bytes that were compressed: because of a bug in the encoder, faulty
 * memory, or a program that changed the bytes during the call.
 */
export class WrongFrameError extends NamedError {
  static override readonly name = 'WrongFrameError'
  readonly codec: string

  constructor (codec: string) {
    super(`A new ${codec} frame does not decode to the original bytes, so it was not stored`)
    this.codec = codec
  }
}
