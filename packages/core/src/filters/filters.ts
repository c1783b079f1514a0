import { delta, undelta } from './delta.ts'
import { shuffle, unshuffle } from './shuffle.ts'
import type { Filter } from './filter.ts'

/** Maximum number of filters of a file. */
const MAX_FILTERS = 4

/** Bits of a filter's code that hold the width. The kind is above them. */
const WIDTH_BITS = 8

const WIDTHS = [1, 2, 3, 4, 8] as const
const KINDS: Readonly<Record<Filter['kind'], number>> = { delta: 1, shuffle: 2 }

/** Every filter by its code. Bytes that are elements of their own cannot be shuffled. */
const FILTERS: ReadonlyMap<number, Filter> = new Map(
  WIDTHS.flatMap(width => (['delta', 'shuffle'] as const).map(kind => ({ kind, width })))
    .filter(({ kind, width }) => kind === 'delta' || width > 1)
    .map(filter => [codeOf(filter), filter])
)

/** The codes of filters in the header (docs/format.md, section 3), in the order in which they are applied. */
export function encodeFilters (filters: readonly Filter[]): number[] {
  return filters.map(codeOf)
}

/**
 * The filters of a header's codes.
 *
 * @returns undefined if a code is unknown, is there twice, or there are none or more than four
 */
export function decodeFilters (codes: readonly number[]): Filter[] | undefined {
  if (codes.length === 0 || codes.length > MAX_FILTERS || new Set(codes).size < codes.length) {
    return undefined
  }

  const filters = codes.map(code => FILTERS.get(code)).filter(filter => filter != null)

  return filters.length === codes.length ? filters : undefined
}

/**
 * Apply filters to the bytes of a frame.
 *
 * @returns other bytes of the same length, or `bytes` if there are no filters. `bytes` does not change.
 */
export function applyFilters (bytes: Uint8Array, filters: readonly Filter[]): Uint8Array {
  let filtered = bytes

  for (const { kind, width } of filters) {
    // what is not the caller's may change
    const target = kind === 'delta' && filtered !== bytes ? filtered : new Uint8Array(bytes.byteLength)
    const apply = kind === 'delta' ? delta : shuffle
    apply(filtered, target, width)
    filtered = target
  }

  return filtered
}

/**
 * Undo filters.
 *
 * @param bytes - they may change
 * @returns the bytes that the filters were applied to: in the memory of `bytes`, or in other memory
 */
export function undoFilters (bytes: Uint8Array, filters: readonly Filter[]): Uint8Array {
  let original = bytes

  for (const { kind, width } of filters.toReversed()) {
    const target = kind === 'delta' ? original : new Uint8Array(bytes.byteLength)
    const undo = kind === 'delta' ? undelta : unshuffle
    undo(original, target, width)
    original = target
  }

  return original
}

function codeOf ({ kind, width }: Filter): number {
  return KINDS[kind] << WIDTH_BITS | width
}
