// Room: rearranges arrays of numbers so that they shrink, and chooses which filters a file gets.
import { concat } from '@ipfsz/utils/bytes'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { isText } from '../util/is-text.ts'
import { estimateBits } from './estimate.ts'
import { applyFilters, prepareFilters } from './filters.ts'
import { findRecordSize } from './find-record-size.ts'
import { isNoise } from './is-noise.ts'
import type { Filter, Width } from './filter.ts'

const KIB = 1024

/** Bytes on which all candidates are compared by an estimate, 16 KiB. */
const SMALL_SAMPLE = 16 * KIB
/** How many are compressed there: to compress all of them took longer than all else. */
const MAX_COMPRESSED = 5
/** Then those drop out that take a fifth more than no filters. Of the others, some save a tenth on 64 KiB. */
const MAX_SMALL_LOSS = 1.2
/** How many are left then, the best ones. */
const MAX_LEFT = 2

/** Bytes on which the others are tried, 64 KiB, and on which the best one has to prove itself, 256 KiB. */
const SAMPLE = 64 * KIB
const LARGE_SAMPLE = 256 * KIB

/**
 * In a piece of up to 128 KiB that seems to have records, differences between them are tried alone first: to try all
 * took three to five times as long as adding the file without.
 */
const MAX_SMALL_PIECE = 2 * SAMPLE

/** A sample consists of so many spans of the file. */
const SPANS = 4

/** Where spans begin and end, in bytes: whole numbers of every width stay aligned from one span to the next. */
const ALIGNMENT = 24

/** Fewer bytes are not worth a trial, 16 KiB: trees have thousands of small files. */
export const MIN_FILTERED_SIZE = 16 * KIB

/** The smallest saving, as a fraction of what is stored without filters, that makes filters worthwhile. */
const MIN_FILTER_GAIN = 0.1

/** With this saving on 64 KiB, a trial on 256 KiB changes nothing. Nor does another one for records, on 16 KiB. */
const CERTAIN_GAIN = 0.2

/** And as a fraction of the original: files that take next to nothing anyway stay in version 1 of the format. */
const MIN_ORIGINAL_GAIN = 0.01

const WIDTHS: readonly Width[] = [2, 3, 4, 8]

/**
 * For numbers of each width: byte planes alone (noise above an even level), planes and their
 * differences (signals, of either byte order), differences and their planes (counters, clocks). And
 * differences of bytes.
 */
const CANDIDATES: ReadonlyArray<readonly Filter[]> = [
  ...WIDTHS.flatMap((width): Filter[][] => [
    [{ kind: 'shuffle', width }],
    [{ kind: 'shuffle', width }, { kind: 'delta', width: 1 }],
    [{ kind: 'delta', width }, { kind: 'shuffle', width }]
  ]),
  [{ kind: 'delta', width: 1 }]
]

/** How far apart the bytes are of which candidates take differences. */
const DISTANCES = [1, ...WIDTHS]

/** For records: differences between them, and planes alone. */
function recordCandidates (width: number): [Filter[], Filter[]] {
  return [[{ kind: 'records', width }], [{ kind: 'shuffle', width }]]
}

const NONE: readonly Filter[] = []

/** A chain of filters, and how many bytes a sample has with it. */
interface Trial {
  filters: readonly Filter[]
  length: number
}

/**
 * Choose filters for a file by compressing samples of its first frame. Arrays of numbers gain from
 * them: sound, images, measurements. Text never does, and is not tried.
 *
 * @param piece - the file's first frame, or all of a shorter file
 * @param compress - the codec at its fastest level
 * @returns no filters if none save 10 % of what is stored, and 1 % of the original
 */
export async function chooseFilters (
  piece: Uint8Array,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>
): Promise<readonly Filter[]> {
  if (!isWorthTrying(piece)) {
    return NONE
  }

  await prepareFilters()
  const recordSize = findRecordSize(piece, DISTANCES)
  const alignment = ALIGNMENT * (recordSize ?? 1)
  const sample = takeSpans(piece, SAMPLE, alignment)
  const small = takeSpans(sample, SMALL_SAMPLE, alignment)

  // trying all candidates would take longer than writing and syncing a file of 256 KiB
  if (isNoise(small, recordSize == null ? DISTANCES : [...DISTANCES, recordSize])) {
    return NONE
  }

  const forRecords = recordSize == null ? [] : recordCandidates(recordSize)

  if (forRecords.length > 0 && piece.byteLength <= MAX_SMALL_PIECE) {
    const { filters, gain } = await chooseBest(small, forRecords.slice(0, 1), compress)

    if (gain >= CERTAIN_GAIN) {
      freeUnless(piece, small)

      return filters
    }
  }

  const candidates = [...CANDIDATES, ...forRecords]
  const [plain, ...others] = await tryEach(small, [NONE, ...mostPromising(small, candidates)], compress)
  // what shrinks with none is not tried further
  const limit = Math.min(plain.length * MAX_SMALL_LOSS, small.byteLength)
  const left = others.filter(({ length }) => length < limit)
    .toSorted((a, b) => a.length - b.length)
    .slice(0, MAX_LEFT)
    .map(({ filters }) => filters)

  if (left.length === 0) {
    return NONE
  }

  const { filters, gain } = await chooseBest(sample, left, compress)

  if (filters.length === 0 || sample === piece || gain >= CERTAIN_GAIN) {
    return filters
  }

  return (await chooseBest(takeSpans(piece, LARGE_SAMPLE, alignment), [filters], compress)).filters
}

/** Whether filters are tried: not on text, and not on a small piece. */
export function isWorthTrying (piece: Uint8Array): boolean {
  return piece.byteLength >= MIN_FILTERED_SIZE && !spansOf(piece, SAMPLE).every(isText)
}

/** The chains after which bytes have the shortest codes. */
function mostPromising (
  bytes: Uint8Array,
  chains: ReadonlyArray<readonly Filter[]>
): ReadonlyArray<readonly Filter[]> {
  return chains.map(filters => ({ filters, bits: estimateBits(bytes, filters) }))
    .toSorted((a, b) => a.bits - b.bits)
    .slice(0, MAX_COMPRESSED)
    .map(({ filters }) => filters)
}

/** The best of some chains, or none if it does not save enough, and which part of what is stored it saves. */
async function chooseBest (
  bytes: Uint8Array,
  chains: ReadonlyArray<readonly Filter[]>,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>
): Promise<{ filters: readonly Filter[], gain: number }> {
  const trials = await tryEach(bytes, [NONE, ...chains], compress)
  const best = trials.reduce((best, trial) => trial.length < best.length ? trial : best)

  const [plain] = trials
  const saved = plain.length - best.length
  const least = Math.max(plain.length * MIN_FILTER_GAIN, bytes.byteLength * MIN_ORIGINAL_GAIN)

  return { filters: saved >= least ? best.filters : NONE, gain: saved / plain.length }
}

async function tryEach (
  bytes: Uint8Array,
  chains: ReadonlyArray<readonly Filter[]>,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>
): Promise<Trial[]> {
  const trials: Trial[] = []

  for (const filters of chains) {
    const filtered = applyFilters(bytes, filters)
    const frame = await compress(filtered)
    trials.push({ filters, length: frame.byteLength })

    // a dozen for each file: as garbage, they would make V8 mark the whole heap more often
    freeUnless(bytes, filtered)
    freeUnless(bytes, frame)
  }

  return trials
}

/** Free what is not in the memory of other bytes. */
function freeUnless (bytes: Uint8Array, made: Uint8Array): void {
  if (made.buffer !== bytes.buffer) {
    freeBytes(made)
  }
}

/** A sample of the piece of about `size` bytes: its spans, concatenated. */
function takeSpans (piece: Uint8Array, size: number, alignment: number): Uint8Array {
  return concat(spansOf(piece, size, alignment))
}

/** Evenly spaced spans of the piece, together about `size` bytes. Each begins where a number or record does. */
function spansOf (piece: Uint8Array, size: number, alignment = ALIGNMENT): Uint8Array[] {
  if (piece.byteLength <= size) {
    return [piece]
  }

  const align = (position: number): number => Math.floor(position / alignment) * alignment
  const length = align(size / SPANS)
  const step = (piece.byteLength - length) / (SPANS - 1)

  return Array.from({ length: SPANS }, (_, i) => {
    const start = align(i * step)

    return piece.subarray(start, start + length)
  })
}
