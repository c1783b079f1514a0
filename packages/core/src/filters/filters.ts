import { delta, undelta } from './delta.ts'
import { MAX_RECORD_SIZE } from './filter.ts'
import { fromRecordPlanes, shuffle, toRecordPlanes, unshuffle } from './planes.ts'
import type { Filter, Width } from './filter.ts'

/** Maximum number of filters of a file. */
const MAX_FILTERS = 4

/** Bits of a filter's code that hold the width. The kind is above them. */
const WIDTH_BITS = 8

const WIDTHS: readonly Width[] = [1, 2, 3, 4, 8]
const KINDS: Readonly<Record<Filter['kind'], number>> = { delta: 1, shuffle: 2, records: 3 }

/** Every filter by its code. Bytes that are records of their own cannot be transposed. */
const FILTERS: ReadonlyMap<number, Filter> = new Map([
  ...WIDTHS.map((width): Filter => ({ kind: 'delta', width })),
  ...Array.from({ length: MAX_RECORD_SIZE - 1 }, (_, i): Filter[] => [
    { kind: 'shuffle', width: i + 2 },
    { kind: 'records', width: i + 2 }
  ]).flat()
].map(filter => [codeOf(filter), filter]))

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

  for (const filter of filters) {
    // what is not the caller's may change
    const target = filter.kind === 'delta' && filtered !== bytes ? filtered : new Uint8Array(bytes.byteLength)
    apply(filter, filtered, target)
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

  for (const filter of filters.toReversed()) {
    const target = filter.kind === 'delta' ? original : new Uint8Array(bytes.byteLength)
    undo(filter, original, target)
    original = target
  }

  return original
}

function apply (filter: Filter, source: Uint8Array, target: Uint8Array): void {
  switch (filter.kind) {
    case 'delta': return delta(source, target, filter.width)
    case 'shuffle': return shuffle(source, target, filter.width)
    case 'records': return toRecordPlanes(source, target, filter.width)
  }
}

function undo (filter: Filter, source: Uint8Array, target: Uint8Array): void {
  switch (filter.kind) {
    case 'delta': return undelta(source, target, filter.width)
    case 'shuffle': return unshuffle(source, target, filter.width)
    case 'records': return fromRecordPlanes(source, target, filter.width)
  }
}

function codeOf ({ kind, width }: Filter): number {
  return KINDS[kind] << WIDTH_BITS | width
}
