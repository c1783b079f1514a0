/** Files of a tier that are merged: each has up to eight times the size of one of the tier below. */
const WIDTH = 8

/**
 * Files of similar size that should become one: undefined if there are few enough. There are at most seven for each
 * eightfold of sizes, and each byte is rewritten once for each eightfold.
 *
 * @param first - the size up to which files are in the lowest tier
 * @param max - the size of the result at most
 */
export function chooseMerge<T> (
  files: readonly T[],
  sizeOf: (file: T) => number,
  { first, max }: { first: number, max: number }
): T[] | undefined {
  const tiers = Map.groupBy(files, file =>
    Math.max(0, Math.ceil(Math.log(Math.max(1, sizeOf(file)) / first) / Math.log(WIDTH))))

  for (const [, tier] of Array.from(tiers).toSorted(([a], [b]) => a - b)) {
    const chosen: T[] = []
    let size = 0

    for (const file of tier) {
      if (size + sizeOf(file) <= max) {
        chosen.push(file)
        size += sizeOf(file)
      }
    }

    if (chosen.length >= WIDTH) {
      return chosen
    }
  }

  return undefined
}
