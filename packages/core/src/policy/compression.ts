import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import { AUTO_CANDIDATES } from './auto-candidates.ts'
import { chooseCompression } from './auto.ts'
import { resolveBaseOfBase } from './base-option.ts'
import { basedLevel, resolveDictionaries } from './dictionaries.ts'
import { checkFrameSize, resolveLayout } from './layout.ts'
import {
  BASED_FRAME_SIZE,
  DEFAULT_CODEC,
  DEFAULT_FRAME_SIZE,
  DEFAULT_OPTIMIZE,
  MAX_LEAF_SIZE,
  SEARCHING_LEVEL
} from '../constants.ts'
import { MAX_CUT_SIZE, MIN_CUT_SIZE } from '../cut/cut-by-content.ts'
import { chooseFilters } from '../filters/choose-filters.ts'
import { InvalidParametersError } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import type { BaseOf, BaseOfBase } from './base-option.ts'
import type { CompressionOptions, Cut } from './compression-options.ts'
import type { DictionaryCoder } from './dictionaries.ts'
import type { Layout } from './layout.ts'
import type { Codec } from '@ipfsz/codecs'

/** The layout of files that are cut by content. */
const CONTENT_LAYOUT: Layout = { frameSize: MAX_CUT_SIZE, leafSize: MAX_LEAF_SIZE, sampleSize: MAX_CUT_SIZE }

/** The codec and level chosen for one file. */
export interface Choice {
  codec: Codec
  level: number
  /** The level for a file with a base, and those to try where it finds too little of what both have in common. */
  basedLevels: readonly number[]
}

/** The validated options of an add, with defaults filled in. */
export interface Compression {
  /** Chooses codec and level from the file's first bytes. Undefined means not to compress. */
  choose: (piece: Uint8Array, signal?: AbortSignal | null) => Promise<Choice | undefined>
  /** What it chooses, if that is the same for all files. */
  named?: Choice | undefined
  /** Finds out from the file's first bytes how it is cut. */
  layoutOf: (head: Uint8Array) => Layout
  basedLayoutOf: (layout: Layout) => Layout
  /** Chooses filters from the file's first bytes. Undefined means none. */
  chooseFilters?: ((piece: Uint8Array, signal?: AbortSignal | null) => Promise<readonly Filter[]>) | undefined
  cut: Cut
  detect: boolean
  /** Whether a base may compress what changed itself, at no level: none was asked for. */
  comparing: boolean
  baseOf?: BaseOf | undefined
  baseOfBase: BaseOfBase
  dictionaries?: DictionaryCoder | undefined
}

/**
 * Validate the compression options of an add.
 *
 * @returns undefined if the codec is `none`
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 * @throws {InvalidFrameSizeError}
 * @throws {InvalidParametersError} `auto` with a level, an unknown `optimize`, `cut` or `baseOfBase`, options that
 *   exclude each other, a `leafSize` that is out of range, or a base or dictionaries with a codec other than zstd
 */
export function resolveCompression (
  options: CompressionOptions = {},
  codecs: readonly Codec[]
): Compression | undefined {
  const { codec: name = DEFAULT_CODEC, base, cut = 'size', filters = true, detect = true } = options
  const layoutOf = resolveLayout(options)

  if (cut !== 'size' && cut !== 'content') {
    throw new InvalidParametersError(`cut must be size or content, not ${String(cut)}`)
  }

  const { frameSize, basedFrameSize, leafSize, optimize } = options

  if (basedFrameSize != null) {
    checkFrameSize(basedFrameSize)
  }

  if (cut === 'content' && (frameSize != null || leafSize != null || base != null || optimize === 'ranges')) {
    throw new InvalidParametersError("cut: 'content' cannot be combined with frameSize, leafSize, base or ranges")
  }

  if (name === 'none') {
    return undefined
  }

  const named = name === 'auto' ? undefined : chooseNamed(name, options, codecs)
  const choose = named == null ? chooseByTrial(options, codecs) : async () => named

  return {
    choose,
    named,
    layoutOf: cut === 'content' ? () => CONTENT_LAYOUT : layoutOf,
    basedLayoutOf: layout => withBase(layout, options),
    chooseFilters: filters && cut === 'size' ? filtersByTrial(name, codecs) : undefined,
    cut,
    detect,
    comparing: options.level == null,
    baseOf: typeof base === 'object' ? () => base : base,
    baseOfBase: resolveBaseOfBase(options.baseOfBase),
    dictionaries: resolveDictionaries(name, options, codecs)
  }
}

/** Maximum number of bytes of a file that has one frame, whatever is in it, and ends before that frame is full. */
export function maxOneFrame ({ cut }: Compression, { frameSize }: Layout): number {
  return cut === 'content' ? MIN_CUT_SIZE : frameSize - 1
}

/** The layout of a file with a base: what it has in common with that may begin after 4 MiB, whatever the frame size. */
function withBase (layout: Layout, options: CompressionOptions): Layout {
  const isDefault = layout.frameSize === DEFAULT_FRAME_SIZE && options.frameSize == null
  const frameSize = options.basedFrameSize ?? (isDefault ? BASED_FRAME_SIZE : layout.frameSize)
  const sampleSize = Math.max(layout.sampleSize, frameSize * Math.ceil(DEFAULT_FRAME_SIZE / frameSize))

  return { ...layout, frameSize, sampleSize }
}

function searchingLevels ({ levels }: Codec): number[] {
  return levels.max < SEARCHING_LEVEL ? [] : [SEARCHING_LEVEL]
}

/** Trials with the codec of a file, or with zstd if that is not chosen yet. */
function filtersByTrial (name: string, codecs: readonly Codec[]): Compression['chooseFilters'] {
  const codec = codecs.find(codec => codec.name === name) ?? codecs.find(({ name }) => name === 'zstd') ?? codecs[0]

  return async (piece, signal) =>
    chooseFilters(piece, async bytes => codec.compress(bytes, { level: Math.max(codec.levels.min, 1), signal }))
}

function chooseByTrial (
  { level, optimize = DEFAULT_OPTIMIZE }: CompressionOptions,
  codecs: readonly Codec[]
): Compression['choose'] {
  if (level != null) {
    throw new InvalidParametersError("level cannot be combined with codec 'auto': set a codec, or omit the level")
  }

  const goal = optimize === 'ranges' ? DEFAULT_OPTIMIZE : optimize

  if (AUTO_CANDIDATES[goal] == null) {
    const names = [...Object.keys(AUTO_CANDIDATES), 'ranges'].join(', ')

    throw new InvalidParametersError(`optimize must be one of ${names}, not ${String(optimize)}`)
  }

  return async (piece, signal) => {
    const choice = await chooseCompression(piece, goal, codecs, signal)

    return choice == null
      ? undefined
      : { ...choice, basedLevels: [choice.level, ...searchingLevels(choice.codec)] }
  }
}

function chooseNamed (name: string, options: CompressionOptions, codecs: readonly Codec[]): Choice {
  const codec = codecs.find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, [...codecs.map(codec => codec.name), 'auto', 'none'])
  }

  if (options.base != null && codec.dictionaries !== true) {
    throw new InvalidParametersError(`The codec ${name} does not support a base: use zstd`)
  }

  const level = checkLevel(codec, options.level)

  const basedLevels = options.level == null
    ? [basedLevel(codec), level, ...searchingLevels(codec)]
    : [level]

  return { codec, level, basedLevels }
}
