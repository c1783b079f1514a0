import { chooseMerge } from './choose-merge.ts'
import type { PackState } from './pack-state.ts'
import type { PackStats } from './stats.ts'

/** Packs of less than this share of `packSize` are small. */
const SMALL = 1 / 4
/** Bytes of packs that are joined without regard to their sizes. */
const FIRST_TIER = 8 * 1024
/** How many small packs may be there: each process that adds something leaves one. */
const MAX_SMALL = 16

/**
 * The packs to rewrite: those of which most is unused, until few bytes are, and small ones, if there are many.
 *
 * @param maxUnused - share of all bytes that may stay unused, or bytes
 */
export function choosePacks (
  { packs, size }: { packs: ReadonlyArray<Pick<PackStats, 'id' | 'size' | 'live' | 'isSealed'>>, size: number },
  maxUnused: number | { bytes: number },
  packSize: number
): string[] {
  const sealed = packs.filter(({ isSealed }) => isSealed)
  const chosen = new Set<string>()
  let unused = packs.reduce((sum, { size, live }) => sum + size * (1 - live), 0)
  let total = size

  for (const { id, size, live } of sealed.toSorted((a, b) => a.live - b.live)) {
    // a pack that has nothing costs nothing to remove
    if (live === 0 || (live < 1 && unused > (typeof maxUnused === 'number' ? maxUnused * total : maxUnused.bytes))) {
      chosen.add(id)
      unused -= size * (1 - live)
      total -= size * (1 - live)
    }
  }

  const small = sealed.filter(({ size, id }) => size < packSize * SMALL && !chosen.has(id))

  return [...chosen, ...small.length > MAX_SMALL ? small.map(({ id }) => id) : []]
}

/** Small packs of similar size that should become one, if there are many. */
export function chooseSmall (packs: Iterable<PackState>, packSize: number): PackState[] {
  const small = Array.from(packs).filter(({ isSealed, size }) => isSealed && size < packSize * SMALL)

  return chooseMerge(small, ({ size }) => size, { first: FIRST_TIER, max: packSize }) ?? []
}
