import { MIN_REGION_SIZE } from '../constants.ts'
import type { DeltaCompressor } from '@ipfsz/codecs/zstd-delta'
import type { Region } from '../format/header.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { BaseReader } from './base-reader.ts'
import type { AidOptions } from './frame-base.ts'

/**
 * Bytes of a base on both sides of where a piece is expected, for what was inserted or deleted. So a region has at most
 * three times the bytes of a piece. The format allows four times (docs/format.md, section 6).
 */
const SLACK = 64 * 1024

/** Smaller pieces, of less than 64 KiB, take zstd no longer than what changed of them, and it finds more. */
const MIN_SIZE = 64 * 1024
/** Larger ones, of more than 1 MiB, would keep the calling thread too long. */
const MAX_SIZE = 1024 * 1024

/** With more than an eighth of a piece changed, or where what changed takes more than a 32nd of it, zstd finds more. */
const MAX_CHANGED_SHARE = 1 / 8
const MAX_DELTA_SHARE = 1 / 32

/** Kept, since an import takes a while even if it was made before. */
let compressor: DeltaCompressor | undefined

/** Compresses pieces of a file by what changed since their base, if that is little. */
export class PieceComparer {
  readonly #base: Pick<BaseReader, 'read'>
  readonly #size: number

  /** @param size - original bytes of the base */
  constructor (base: Pick<BaseReader, 'read'>, size: number) {
    this.#base = base
    this.#size = size
  }

  /** Where a piece is expected in the base: after the one before, or else where it is in its file. */
  expect ({ byteLength }: Uint8Array, { start, previous }: Pick<AidOptions, 'start' | 'previous'>): Region {
    const offset = Math.max(0, Math.min(previous?.next ?? start, this.#size) - SLACK)

    return { offset, length: Math.min(byteLength + 2 * SLACK, this.#size - offset) }
  }

  /**
   * Compress what changed in a piece since a region of the base.
   *
   * @returns undefined if that is much, or the piece is too small or too large to find out
   */
  async compress (bytes: Uint8Array, region: Region): Promise<Piece | undefined> {
    const { byteLength: size } = bytes

    if (size < MIN_SIZE || size > MAX_SIZE || region.length < MIN_REGION_SIZE) {
      return undefined
    }

    const dictionary = await this.#base.read(region)
    const loaded = compressor ?? await loadCompressor()
    const delta = loaded?.compress(bytes, {
      dictionary,
      maxChanged: Math.floor(size * MAX_CHANGED_SHARE),
      maxLength: size * MAX_DELTA_SHARE
    })

    if (delta == null) {
      return undefined
    }

    const { frame, checked, start, end, next, sameAt } = delta

    return {
      bytes,
      frame: { bytes: frame, checked },
      region: { offset: region.offset + start, length: end - start },
      next: region.offset + next,
      ...sameAt == null ? {} : { sameAt: region.offset + sameAt }
    }
  }
}

/** Undefined where it cannot be loaded, as in a page that is offline: zstd does it then. */
async function loadCompressor (): Promise<DeltaCompressor | undefined> {
  try {
    const { DeltaCompressor } = await import('@ipfsz/codecs/zstd-delta')
    compressor = await DeltaCompressor.load()
  } catch {
    // the next piece tries again
  }

  return compressor
}

/** Whether a region has all of another one. */
export function contains (region: Region, other: Region): boolean {
  return region.offset <= other.offset && other.offset + other.length <= region.offset + region.length
}
