import { checkLevel, MAX_FRAME_SIZE, UnknownCodecError } from '@ipfsz/codecs'
import { AUTO_CANDIDATES } from './auto-candidates.ts'
import { chooseCompression } from './auto.ts'
import { DEFAULT_CODEC, DEFAULT_FRAME_SIZE, DEFAULT_OPTIMIZE, MIN_FRAME_SIZE } from '../constants.ts'
import { InvalidFrameSizeError, InvalidParametersError } from '../errors.ts'
import type { Optimize } from './auto-candidates.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'

/** How a file is compressed. */
export interface CompressionOptions {
  /**
   * The codec, `none` to store the file as it is, or `auto` to try a few spans of
   * each file and choose codec and level, or none, by what `optimize` says.
   *
   * @default 'zstd'
   */
  codec?: CodecName | 'auto' | 'none' | undefined

  /**
   * What `auto` makes least: the stored bytes (`size`), or the time to compress, send
   * and decompress over 100 Mbit/s (`balanced`) or 1 Gbit/s (`speed`).
   *
   * @default 'balanced'
   */
  optimize?: Optimize | undefined

  /**
   * The compression level, within the codec's levels. Not with `auto`.
   *
   * @default the codec's own
   */
  level?: number | undefined

  /**
   * Original bytes in every frame but the last, 64 KiB to 16 MiB. Small frames
   * make random access cheap, large ones make files smaller.
   *
   * @default 4194304
   */
  frameSize?: number | undefined

  /**
   * Find out by its first bytes and by a trial of its first frame whether a file
   * is worth compressing, and store it as it is where it is not. With `false`
   * every file but an empty one is compressed.
   *
   * @default true
   */
  detect?: boolean | undefined
}

/** What compresses a file. */
export interface Choice {
  codec: Codec
  level: number
}

/** The options, checked and complete. */
export interface Compression {
  /** What compresses the file that begins so, if anything. */
  choose: (piece: Uint8Array, signal?: AbortSignal | null) => Promise<Choice | undefined>
  frameSize: number
  detect: boolean
}

/**
 * Check the options of an add. Nothing is compressed where the result is undefined.
 *
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 * @throws {InvalidFrameSizeError}
 * @throws {InvalidParametersError} `auto` with a level, or an unknown `optimize`
 */
export function resolveCompression (options: CompressionOptions = {}, codecs: readonly Codec[]): Compression | undefined {
  const { codec: name = DEFAULT_CODEC, frameSize = DEFAULT_FRAME_SIZE, detect = true } = options

  if (!Number.isInteger(frameSize) || frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (name === 'none') {
    return undefined
  }

  return { choose: name === 'auto' ? chooseByTrial(options, codecs) : chooseNamed(name, options, codecs), frameSize, detect }
}

function chooseByTrial ({ level, optimize = DEFAULT_OPTIMIZE }: CompressionOptions, codecs: readonly Codec[]): Compression['choose'] {
  if (level != null) {
    throw new InvalidParametersError('The level is chosen with the codec: give a codec with it, or neither')
  }

  if (AUTO_CANDIDATES[optimize] == null) {
    throw new InvalidParametersError(`optimize is one of ${Object.keys(AUTO_CANDIDATES).join(', ')}, not ${String(optimize)}`)
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
