import type { Optimize } from './auto-candidates.ts'
import type { BaseOf, BaseOfBase } from './base-option.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

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
   * @default 4194304, or 65536 for `ranges`; for files with a base 524288, from where it helps
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
