// Room: what `ipfsz bench` measures.
import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import type { Codec } from '@ipfsz/codecs'

export interface CodecLevel {
  readonly codec: Codec
  readonly level: number
  /** `zstd 3`, or the name alone if the codec has one level. */
  readonly label: string
}

export interface CodecLevelsOptions {
  names?: readonly string[] | undefined
  /** Only these levels. */
  levels?: readonly number[] | undefined
}

/**
 * The codec levels to compare: each codec at a few of its levels, or at those of `levels` that it has.
 *
 * @throws {UnknownCodecError} a name is not that of a codec
 * @throws {InvalidLevelError} a codec of `names`, or without `names` every codec, has none of the levels
 */
export function codecLevels (codecs: readonly Codec[], { names, levels }: CodecLevelsOptions = {}): CodecLevel[] {
  for (const name of names ?? []) {
    if (codecs.every(codec => codec.name !== name)) {
      throw new UnknownCodecError(name, codecs.map(codec => codec.name))
    }
  }

  const chosen = codecs.filter(({ name }) => names == null || names.includes(name))
  const found = chosen.map(codec => ({
    codec,
    levels: levels == null ? usualLevels(codec) : unique(levels).filter(level => hasLevel(codec, level))
  }))
  const missing = names != null || found.every(({ levels }) => levels.length === 0)
    ? found.find(({ levels }) => levels.length === 0)
    : undefined

  if (missing != null) {
    // throws: the codec has none of the levels
    checkLevel(missing.codec, levels?.[0])
  }

  return found.flatMap(({ codec, levels }) => levels.map(level => ({ codec, level, label: labelOf(codec, level) })))
}

/** The lowest level, the default, 3 and 9 if higher, and the highest. For gzip 1, 6, 9. */
function usualLevels (codec: Codec): number[] {
  const { min, max, default: usual } = codec.levels

  return unique([Math.max(min, 1), usual, Math.max(usual, 3), 9, max]).filter(level => hasLevel(codec, level))
}

function hasLevel ({ levels }: Codec, level: number): boolean {
  return level >= levels.min && level <= levels.max
}

function labelOf ({ name, levels }: Codec, level: number): string {
  return levels.min === levels.max ? name : `${name} ${level}`
}

function unique (levels: readonly number[]): number[] {
  return [...new Set(levels)].toSorted((a, b) => a - b)
}
