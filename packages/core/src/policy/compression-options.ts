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
   * What `auto` minimizes: the stored size (`size`), or the time to compress, send and
   * decompress over a link of 100 Mbit/s (`balanced`) or 1 Gbit/s (`speed`).
   *
   * `ranges`, with any codec: small frames in small blocks, for files from which small parts
   * are read, such as databases. `auto` then chooses codec and level as for `balanced`. It does
   * this automatically for SQLite databases and Parquet files, unless it optimizes for `size`.
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
   * Original bytes in every frame except the last, 64 KiB to 16 MiB. Small frames make random
   * access fast, large frames make files smaller.
   *
   * @default 4194304, or 65536 for `ranges`; for files with a base 524288, from where it helps
   */
  frameSize?: number | undefined

  /**
   * The same for files with a base, instead of `frameSize`. Where a file is one frame, and a level is asked for, all of
   * its base is the frame's dictionary, as browsers have it (RFC 9842), if that is at most 512 KiB larger.
   *
   * @default `frameSize`
   */
  basedFrameSize?: number | undefined

  /**
   * Maximum number of compressed bytes in a block that several frames share, up to 1 MiB. A
   * reader fetches whole blocks, so small blocks make random access fast. A larger frame has
   * its own blocks.
   *
   * @default 1048576, or 65536 for `ranges`
   */
  leafSize?: number | undefined

  /**
   * Where frames end: after every `frameSize` bytes (`size`), or at content-defined boundaries
   * (`content`). With `content`, frames have 64 to 256 KiB, and similar files, such as versions
   * of one file, share most of their blocks. Not with `frameSize`, `leafSize`, `base` or
   * `ranges`.
   *
   * @default 'size'
   */
  cut?: Cut | undefined

  /**
   * Rearrange arrays of numbers, and of records of up to 64 bytes, before they are compressed, if a trial shows that
   * this saves at least 10 %: sound, images, measurements, point clouds. Files with a base, those that are cut by
   * content, and text are never rearranged. The codec's own command-line tool refuses files with filters.
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
   * An earlier version of the file, or of each file by its path: only the differences from it are stored. The new
   * file links to it, so that a node that pins the new file has its base too, and reading needs both. The base must
   * be a file, compressed or not. It is ignored where it does not help, and if `auto` chooses a codec other than
   * zstd.
   */
  base?: CID | BaseOf | undefined

  /**
   * What to do if the base has a base itself: use that base instead (`flatten`), or fail with an InvalidBaseError that
   * contains it (`refuse`). So reading never needs more than two files.
   *
   * @default 'flatten'
   */
  baseOfBase?: BaseOfBase | undefined

  /**
   * Compress similar small files of a directory with a shared dictionary, if that saves 5 %, including the dictionary
   * (`auto`). Each file links to its dictionary, reading needs both, and its CID depends on the other files. `addAll`
   * buffers 16 MiB of files of up to 1 MiB. Not with `base` or `cut: 'content'`.
   *
   * @default false
   */
  dictionaries?: 'auto' | false | undefined
}

/** Where the frames of a file end. */
export type Cut = 'size' | 'content'
