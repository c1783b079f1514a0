import { deflateCodec, zstdCodec } from '#platform'
import { InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'
import { DEFAULT_LEVELS } from '../constants.ts'
import { lz4Codec } from '../codecs/lz4-codec.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'

export const CODEC_NAMES = ['zstd', 'gzip', 'lz4'] as const

/** What compresses: `gzip` is the raw deflate in it, without header and checksum. */
export type CompressionCodec = typeof CODEC_NAMES[number]

/** Those that run here. */
const CODECS: Readonly<Record<CompressionCodec, StreamCodec | undefined>> = { zstd: zstdCodec, gzip: deflateCodec, lz4: lz4Codec }

/** All that run here, by the type of their frames. */
export function codecsByType (): ReadonlyMap<number, StreamCodec> {
  return new Map(Object.values(CODECS).flatMap(codec => codec == null ? [] : [[codec.type, codec]]))
}

export interface ChosenCodec {
  codec: StreamCodec
  level: number
}

/**
 * Those of the names that run here, with their levels.
 *
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 */
export function chooseCodecs (names: readonly CompressionCodec[] = CODEC_NAMES, level?: number | Partial<Record<CompressionCodec, number>>): ChosenCodec[] {
  return [...new Set(names)].flatMap(name => {
    if (!CODEC_NAMES.includes(name)) {
      throw new UnknownCodecError(name, CODEC_NAMES)
    }

    const codec = CODECS[name]

    return codec == null ? [] : [{ codec, level: chooseLevel(name, codec, level) }]
  })
}

function chooseLevel (name: CompressionCodec, { maxLevel }: StreamCodec, level?: number | Partial<Record<CompressionCodec, number>>): number {
  const wanted = typeof level === 'object' ? level[name] : level
  // one number for all is as much of it as each has
  const max = typeof level === 'object' ? maxLevel : MAX_LEVEL

  if (wanted != null && (!Number.isInteger(wanted) || wanted < 1 || wanted > max)) {
    throw new InvalidLevelError(name, wanted, 1, max)
  }

  return Math.min(wanted ?? DEFAULT_LEVELS[name], maxLevel)
}

const MAX_LEVEL = 19
