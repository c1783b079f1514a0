import { FilterModule } from '@ipfsz/codecs/filters'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { delta, undelta } from './delta.ts'
import { MAX_RECORD_SIZE } from './filter.ts'
import { fromPlanes, toPlanes } from './planes.ts'
import type { Filter, Width } from './filter.ts'
import type { Differences } from './planes.ts'

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

/** Load what makes filters fast. Until it is there, and where it cannot be, JavaScript does the same. */
export async function prepareFilters (): Promise<void> {
  await FilterModule.load()
}

/**
 * Apply filters to the bytes of a frame.
 *
 * @returns other bytes of the same length, or `bytes` if there are no filters. `bytes` does not change.
 */
export function applyFilters (bytes: Uint8Array, filters: readonly Filter[]): Uint8Array {
  const steps = stepsOf(filters)

  return steps.length === 0 ? bytes : FilterModule.shared?.apply(bytes, steps) ?? applySteps(bytes, steps)
}

function applySteps (bytes: Uint8Array, steps: readonly FilterStep[]): Uint8Array {
  let filtered = bytes

  for (const step of steps) {
    // what is not the caller's may change
    const target = step.kind === 'delta' && filtered !== bytes ? filtered : new Uint8Array(bytes.byteLength)

    if (step.kind === 'delta') {
      delta(filtered, target, step.width)
    } else {
      toPlanes(filtered, target, step.width, step.differences)
    }

    freeUnless(bytes, filtered, target)
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
  const steps = stepsOf(filters)

  if (FilterModule.shared?.undo(bytes, steps) === true) {
    return bytes
  }

  // for the next ones
  void prepareFilters()

  return undoSteps(bytes, steps)
}

function undoSteps (bytes: Uint8Array, steps: readonly FilterStep[]): Uint8Array {
  let original = bytes

  for (const step of steps.toReversed()) {
    const target = step.kind === 'delta' ? original : new Uint8Array(bytes.byteLength)

    if (step.kind === 'delta') {
      undelta(original, target, step.width)
    } else {
      fromPlanes(original, target, step.width, step.differences)
    }

    freeUnless(bytes, original, target)
    original = target
  }

  return original
}

/** What is done in one pass: a step of `FilterModule`. */
type FilterStep = { kind: 'delta', width: Width } | { kind: 'planes', width: number, differences: Differences }

/** Planes, and differences of their bytes after them, are one step: two would read and write all bytes twice. */
export function stepsOf (filters: readonly Filter[]): FilterStep[] {
  return filters.flatMap((filter, i): FilterStep[] => {
    if (filter.kind === 'delta') {
      return filter.width === 1 && filters[i - 1]?.kind === 'shuffle' ? [] : [filter]
    }

    const next = filters[i + 1]
    const isFollowed = filter.kind === 'shuffle' && next?.kind === 'delta' && next.width === 1
    const differences = filter.kind === 'records' ? 'records' : 'none'

    return [{ kind: 'planes', width: filter.width, differences: isFollowed ? 'bytes' : differences }]
  })
}

/** Free what is between the caller's bytes and the last ones. */
function freeUnless (callers: Uint8Array, bytes: Uint8Array, target: Uint8Array): void {
  if (bytes !== callers && bytes !== target) {
    freeBytes(bytes)
  }
}

function codeOf ({ kind, width }: Filter): number {
  return KINDS[kind] << WIDTH_BITS | width
}
