import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import { AUTO_CANDIDATES } from './auto-candidates.ts'
import { chooseCompression } from './auto.ts'
import { resolveBaseOfBase } from './base-option.ts'
import { basedLevel, resolveDictionaries } from './dictionaries.ts'
import { resolveLayout } from './layout.ts'
import {
  BASED_FRAME_SIZE,
  DEFAULT_CODEC,
  DEFAULT_FRAME_SIZE,
  DEFAULT_OPTIMIZE,
  MAX_LEAF_SIZE
} from '../constants.ts'
import { MAX_CUT_SIZE } from '../cut/cut-by-content.ts'
import { chooseFilters } from '../filters/choose-filters.ts'
import { InvalidParametersError } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import type { BaseOf, BaseOfBase } from './base-option.ts'
import type { DictionaryCoder } from './dictionaries.ts'
import type { Optimize } from './auto-candidates.ts'
import type { Layout } from './layout.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** The layout of files that are cut by content. */
const CONTENT_LAYOUT: Layout = { frameSize: MAX_CUT_SIZE, leafSize: MAX_LEAF_SIZE, sampleSize: MAX_CUT_SIZE }

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
   * `ranges`, with any codec: small frames in small blocks, for files of which readers fetch
   * small parts, such as databases. `auto` chooses codec and level as for `balanced`. It does
   * the same by itself for SQLite databases and Parquet files, unless it optimizes for `size`.
   *
   * @default 'balanced'
   */
  optimize?: Optimize | undefined

  /**
   * The compression level, in the codec's range. Not with `auto`.
   *
   * @default the codec's own default; with a base, 7 or more
   */
  level?: number | undefined

  /**
   * Original bytes in every frame but the last, 64 KiB to 16 MiB. Small frames make random
   * access cheap, large ones make files smaller.
   *
   * @default 4194304, or 65536 for `ranges`; for files with a base 524288
   */
  frameSize?: number | undefined

  /**
   * The most compressed bytes of a block that several frames share, up to 1 MiB. A reader
   * fetches whole blocks, so small ones make random access cheap. A larger frame has blocks of
   * its own.
   *
   * @default 1048576, or 65536 for `ranges`
   */
  leafSize?: number | undefined

  /**
   * Where a file is cut into frames: after every `frameSize` bytes, or where its content says
   * (`content`). Then frames hold 64 to 256 KiB, and files that have a part in common, such as
   * versions of one, store most of it once. Not with `frameSize`, `leafSize`,
   * `base` or `ranges`.
   *
   * @default 'size'
   */
  cut?: Cut | undefined

  /**
   * Rearrange arrays of numbers before they are compressed, if a trial shows that this saves at
   * least 10 %: sound, images, measurements. Files with a base, those that are cut by content, and
   * text are never rearranged. The codec's own command-line tool returns rearranged bytes of them.
   *
   * @default true
   */
  filters?: boolean | undefined

  /**
   * Store a file uncompressed if its first bytes or a trial of its first frame show that
   * compression would not pay off. If false, every file but an empty one is compressed.
   *
   * @default true
   */
  detect?: boolean | undefined

  /**
   * An earlier version of the file, or of each file by its path: what both have in common is stored once. The
   * new file links to it, so that a node that pins the one has the other, and reading needs both. The base has
   * to be a file, compressed or not. It is ignored where it does not help, and by codecs other than zstd that
   * `auto` chooses.
   */
  base?: CID | BaseOf | undefined

  /**
   * What becomes of a base that has a base itself. Reading never needs more than two files: the base of the base takes
   * its place (`flatten`), or the add fails with an InvalidBaseError that names it (`refuse`).
   *
   * @default 'flatten'
   */
  baseOfBase?: BaseOfBase | undefined

  /**
   * Store once what small files of a kind in a directory have in common, if that saves 5 % with the dictionary
   * counted (`auto`). Each file links to its dictionary, reading needs both, and the CID depends on the files
   * beside it. `addAll` holds back 16 MiB of files of up to 1 MiB. Not with `base` or `cut: 'content'`.
   *
   * @default false
   */
  dictionaries?: 'auto' | false | undefined
}

/** Where a file is cut into frames. */
export type Cut = 'size' | 'content'

/** The codec and level chosen for one file. */
export interface Choice {
  codec: Codec
  level: number
  /** The level for a file with a base. */
  basedLevel: number
}

/** The validated options of an add, with defaults filled in. */
export interface Compression {
  /** Chooses codec and level from the file's first bytes. Undefined means not to compress. */
  choose: (piece: Uint8Array, signal?: AbortSignal | null) => Promise<Choice | undefined>
  /** What it chooses, if that is the same for all files. */
  named?: Choice | undefined
  /** Finds out from the file's first bytes how it is cut. */
  layoutOf: (head: Uint8Array) => Layout
  /** The layout of a file with a base, from its layout without one. */
  basedLayoutOf: (layout: Layout) => Layout
  /** Chooses filters from the file's first bytes. Undefined means none. */
  chooseFilters?: ((piece: Uint8Array, signal?: AbortSignal | null) => Promise<readonly Filter[]>) | undefined
  cut: Cut
  detect: boolean
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

  const { frameSize, leafSize, optimize } = options

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
    basedLayoutOf: layout => layout.frameSize === DEFAULT_FRAME_SIZE && options.frameSize == null
      ? { ...layout, frameSize: BASED_FRAME_SIZE }
      : layout,
    chooseFilters: filters && cut === 'size' ? filtersByTrial(name, codecs) : undefined,
    cut,
    detect,
    baseOf: typeof base === 'object' ? () => base : base,
    baseOfBase: resolveBaseOfBase(options.baseOfBase),
    dictionaries: resolveDictionaries(name, options, codecs)
  }
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
    throw new InvalidParametersError("level cannot be combined with codec 'auto': name a codec, or leave the level out")
  }

  const goal = optimize === 'ranges' ? DEFAULT_OPTIMIZE : optimize

  if (AUTO_CANDIDATES[goal] == null) {
    const names = [...Object.keys(AUTO_CANDIDATES), 'ranges'].join(', ')

    throw new InvalidParametersError(`optimize must be one of ${names}, not ${String(optimize)}`)
  }

  return async (piece, signal) => {
    const choice = await chooseCompression(piece, goal, codecs, signal)

    return choice == null ? undefined : { ...choice, basedLevel: choice.level }
  }
}

function chooseNamed (name: string, options: CompressionOptions, codecs: readonly Codec[]): Choice {
  const codec = codecs.find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, [...codecs.map(codec => codec.name), 'auto', 'none'])
  }

  if (options.base != null && codec.dictionaries !== true) {
    throw new InvalidParametersError(`The codec ${name} cannot use a base: choose zstd`)
  }

  const level = checkLevel(codec, options.level)

  return { codec, level, basedLevel: basedLevel(codec, options.level) }
}
