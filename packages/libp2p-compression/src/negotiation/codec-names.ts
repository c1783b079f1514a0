// Room: whether both ends compress, and with what. Private parts of libp2p are used in `libp2p-internals.ts`.
import { deflateCodec, zstdCodec } from '#platform'
import { InvalidLevelError, UnknownCodecError } from '@ipfsz/codecs'
import { DEFAULT_LEVELS } from '../constants.ts'
import { lz4Codec } from '../codecs/lz4-codec.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'
import type { CompressionCodec } from '../contract.ts'

/** All codecs, the preferred one first. */
const CODEC_NAMES: readonly CompressionCodec[] = ['zstd', 'gzip', 'lz4']

/** Undefined for codecs that do not run on this platform. */
const CODECS: Readonly<Record<CompressionCodec, StreamCodec | undefined>> = {
  zstd: zstdCodec,
  gzip: deflateCodec,
  lz4: lz4Codec
}

/** Highest level of any codec. */
const MAX_LEVEL = 19

type Level = number | Partial<Record<CompressionCodec, number>>

/** All codecs that run on this platform, by frame type. */
export function codecsByType (): ReadonlyMap<number, StreamCodec> {
  return new Map(Object.values(CODECS).flatMap(codec => codec == null ? [] : [[codec.type, codec]]))
}

export interface ChosenCodec {
  codec: StreamCodec
  level: number
}

/**
 * The named codecs that run on this platform, with their levels.
 *
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 */
export function chooseCodecs (names: readonly CompressionCodec[] = CODEC_NAMES, level?: Level): ChosenCodec[] {
  return [...new Set(names)].flatMap(name => {
    if (!CODEC_NAMES.includes(name)) {
      throw new UnknownCodecError(name, CODEC_NAMES)
    }

    const codec = CODECS[name]

    return codec == null ? [] : [{ codec, level: chooseLevel(name, codec, level) }]
  })
}

function chooseLevel (name: CompressionCodec, { maxLevel }: StreamCodec, level?: Level): number {
  const wanted = typeof level === 'object' ? level[name] : level
  // a single number may exceed the highest level of this codec
  const max = typeof level === 'object' ? maxLevel : MAX_LEVEL

  if (wanted != null && (!Number.isInteger(wanted) || wanted < 1 || wanted > max)) {
    throw new InvalidLevelError(name, wanted, 1, max)
  }

  return Math.min(wanted ?? DEFAULT_LEVELS[name], maxLevel)
}
