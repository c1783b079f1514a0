// Room: where frames end with `--cut content`.
import { GEAR, GEAR_WINDOW, gearMask } from './gear.ts'
import type { Allocate } from '@ipfsz/utils/bytes'
import type { ByteReader } from '../util/byte-reader.ts'

const KIB = 1024

/** The fewest bytes of a piece, but for the last, 64 KiB. */
export const MIN_CUT_SIZE = 64 * KIB

/** Maximum number of bytes of a piece, 256 KiB. */
export const MAX_CUT_SIZE = 256 * KIB

/** Until here cuts are rare, then frequent: most pieces have about this many bytes. */
const NORMAL_CUT_SIZE = 128 * KIB

/** A cut in 2^17 positions, then one in 2^15. */
const RARE = gearMask(17)
const FREQUENT = gearMask(15)

/**
 * Split the rest of a reader where its content says: pieces of 64 to 256 KiB, 133 KiB on average.
 * Two files, or versions of one, that have a span in common have most pieces of it in common.
 *
 * Source: W. Xia et al., "FastCDC: a fast and efficient content-defined chunking approach for
 * data deduplication", 2016, with normalized chunking of level 1.
 *
 * @param allocate - provides memory for pieces that span several of the reader's chunks
 */
export async function * cutByContent (reader: ByteReader, allocate?: Allocate): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await readCut(reader, allocate)

    if (piece.byteLength === 0) {
      return
    }

    yield piece
  }
}

/** The next piece of a reader, without bytes if it has ended. */
export async function readCut (reader: ByteReader, allocate?: Allocate): Promise<Uint8Array> {
  await reader.peek(MAX_CUT_SIZE)

  return reader.read(cutLength(reader.buffered()), allocate)
}

/**
 * Bytes until the first cut, or all if there are no more than 256 KiB.
 *
 * Each part of a piece has a loop of its own, with one condition: with more of them, or the hash in a field of an
 * object, it takes three times as long.
 */
export function cutLength (chunks: Iterable<Uint8Array>): number {
  const table = GEAR
  let position = 0
  let hash = 0

  for (const chunk of chunks) {
    const inChunk = (place: number): number => Math.min(Math.max(place - position, 0), chunk.byteLength)
    // the first place for a cut is after the last byte of the shortest piece
    const first = inChunk(MIN_CUT_SIZE - 1)
    const normal = inChunk(NORMAL_CUT_SIZE - 1)
    const end = inChunk(MAX_CUT_SIZE)

    // nothing before these bytes is in the hash of the first place
    for (let i = inChunk(MIN_CUT_SIZE - GEAR_WINDOW); i < first; i++) {
      hash = (hash << 1) + table[chunk[i]] | 0
    }

    for (let i = first; i < normal; i++) {
      hash = (hash << 1) + table[chunk[i]] | 0

      if ((hash & RARE) === 0) {
        return position + i + 1
      }
    }

    for (let i = normal; i < end; i++) {
      hash = (hash << 1) + table[chunk[i]] | 0

      if ((hash & FREQUENT) === 0) {
        return position + i + 1
      }
    }

    position += end
  }

  return position
}
