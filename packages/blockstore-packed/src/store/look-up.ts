import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { prefixOf } from '../format/entry.ts'
import { keyOf } from '../format/key.ts'
import type { PackedBlock } from './read-groups.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

/** Blocks of a pack that are looked up together. */
const SLICE = 4096
/** How many keys are sorted at a time, at most. */
const MAX_KEYS = 2 ** 20

/**
 * Look up many keys in the order of the index, so that each page of it is read once. In any other order, nearly each
 * key needs a page that is not in memory, if the index is larger than the cache.
 *
 * @param find - looks up a key
 * @param breaks - of callers that look up few keys at a time, in a loop
 * @returns what was found, in the order of the keys
 */
export async function lookUp<T> (
  keys: readonly Key[],
  find: (key: Key) => T | Promise<T>,
  breaks = new EventLoopBreaks()
): Promise<T[]> {
  const found: T[] = []

  for (const i of sortedOrder(keys)) {
    const result = find(keys[i])
    found[i] = result instanceof Promise ? await result : result

    if (breaks.isDue()) {
      await breaks.take()
    }
  }

  return found
}

/** The blocks of a pack with all their places, in the order of the pack, some thousands at a time. */
export async function * withPlaces (
  blocks: Iterable<PackedBlock>,
  find: (key: Key) => Row[] | Promise<Row[]>
): AsyncGenerator<Array<{ block: PackedBlock, rows: Row[] }>> {
  for (const slice of slices(blocks)) {
    const found = await lookUp(slice.map(({ cid }) => keyOf(cid.multihash)), find)

    yield slice.map((block, i) => ({ block, rows: found[i] }))
  }
}

/** Numbers sort many times as fast as keys: the first bytes of a key, and which one it is. */
function sortedOrder (keys: readonly Key[]): Float64Array {
  return keys.length === 1 || keys.length > MAX_KEYS
    ? Float64Array.from(keys, (_, i) => i)
    : Float64Array.from(keys, ({ bytes }, i) => prefixOf(bytes, 0) * MAX_KEYS + i).toSorted()
      .map(value => value % MAX_KEYS)
}

function * slices<T> (values: Iterable<T>): Generator<T[]> {
  let slice: T[] = []

  for (const value of values) {
    slice.push(value)

    if (slice.length >= SLICE) {
      yield slice
      slice = []
    }
  }

  if (slice.length > 0) {
    yield slice
  }
}
