import { checkLevel, MAX_FRAME_SIZE, UnknownCodecError } from '@ipfsz/codecs'
import { DEFAULT_CODEC, DEFAULT_FRAME_SIZE, MIN_FRAME_SIZE } from './constants.ts'
import { InvalidFrameSizeError } from './errors.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'

/** How a file is compressed. */
export interface CompressionOptions {
  /**
   * The codec, or `none` to store the file as it is.
   *
   * @default 'zstd'
   */
  codec?: CodecName | 'none' | undefined

  /**
   * The compression level, within the codec's levels.
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

/** The options, checked and complete. */
export interface Compression {
  codec: Codec
  level: number
  frameSize: number
  detect: boolean
}

/**
 * Check the options of an add. Nothing is compressed where the result is undefined.
 *
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 * @throws {InvalidFrameSizeError}
 */
export function resolveCompression (options: CompressionOptions = {}, codecs: readonly Codec[]): Compression | undefined {
  const { codec: name = DEFAULT_CODEC, frameSize = DEFAULT_FRAME_SIZE, detect = true } = options

  if (!Number.isInteger(frameSize) || frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }

  if (name === 'none') {
    return undefined
  }

  const codec = codecs.find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, [...codecs.map(codec => codec.name), 'none'])
  }

  return { codec, level: checkLevel(codec, options.level), frameSize, detect }
}
