import { checkLevel, MAX_FRAME_SIZE, UnknownCodecError } from '@ipfsz/codecs'
import { AUTO_CANDIDATES } from './auto-candidates.ts'
import { chooseCompression } from './auto.ts'
import { DEFAULT_CODEC, DEFAULT_FRAME_SIZE, DEFAULT_OPTIMIZE, MIN_FRAME_SIZE } from '../constants.ts'
import { InvalidFrameSizeError, InvalidParametersError } from '../errors.ts'
import type { Optimize } from './auto-candidates.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'

/** How to compress a file. */
export interface CompressionOptions {
  /**
   * The codec. `none` stores the file uncompressed. `auto` tries a few spans of each file
   * and chooses codec and level, or none, according to `optimize`.
   *
   * @default 'zstd'
   */
  codec?: CodecName | 'auto' | 'none' | undefined

  /**
   * What `auto` minimizes: the stored bytes (`size`), or the time to compress, send and
   * decompress over a link of 100 Mbit/s (`balanced`) or 1 Gbit/s (`speed`).
   *
   * @default 'balanced'
   */
  optimize?: Optimize | undefined

  /**
   * The compression level, in the codec's range. Not with `auto`.
   *
   * @default the codec's own default
   */
  level?: number | undefined

  /**
   * Original bytes in every frame but the last, 64 KiB to 16 MiB. Small frames make random
   * access cheap, large ones make files smaller.
   *
   * @default 4194304
   */
  frameSize?: number | undefined

  /**
   * Store a file uncompressed if its first bytes or a trial of its first frame show that
   * compression would not pay off. If false, every file but an empty one is compressed.
   *
   * @default true
   */
  detect?: boolean | undefined
}

/** The codec and level chosen for one file. */
export interface Choice {
  codec: Codec
  level: number
}

/** The validated options of an add, with defaults filled in. */
export interface Compression {
  /** Chooses codec and level from the file's first frame. Undefined means not to compress. */
  choose: (piece: Uint8Array, signal?: AbortSignal | null) => Promise<Choice | undefined>
  frameSize: number
  detect: boolean
}

/**
 * Validate the compression options of an add.
 *
 * @returns undefined if the codec is `none`
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 * @throws {InvalidFrameSizeError}
 * @throws {InvalidParametersError} `auto` with a level, or an unknown `optimize`
 */
export function resolveCompression (
  options: CompressionOptions = {},
  codecs: readonly Codec[]
): Compression | undefined {
  const { codec: name = DEFAULT_CODEC, frameSize = DEFAULT_FRAME_SIZE, detect = true } = options

  if (!Number.isInteger(frameSize) || frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (name === 'none') {
    return undefined
  }

  const choose = name === 'auto' ? chooseByTrial(options, codecs) : chooseNamed(name, options, codecs)

  return { choose, frameSize, detect }
}

function chooseByTrial (
  { level, optimize = DEFAULT_OPTIMIZE }: CompressionOptions,
  codecs: readonly Codec[]
): Compression['choose'] {
  if (level != null) {
    throw new InvalidParametersError("level cannot be combined with codec 'auto': name a codec, or leave the level out")
  }

  if (AUTO_CANDIDATES[optimize] == null) {
    const names = Object.keys(AUTO_CANDIDATES).join(', ')

    throw new InvalidParametersError(`optimize must be one of ${names}, not ${String(optimize)}`)
  }

  return async (piece, signal) => chooseCompression(piece, optimize, codecs, signal)
}

function chooseNamed (name: string, options: CompressionOptions, codecs: readonly Codec[]): Compression['choose'] {
  const codec = codecs.find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, [...codecs.map(codec => codec.name), 'auto', 'none'])
  }

  const choice = { codec, level: checkLevel(codec, options.level) }

  return async () => choice
}
