/** Student's t for 95 %, two-sided, by degrees of freedom from 1. With more than these it is about 2. */
const T = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]

/**
 * How far the mean of all values may be from the mean of some of them, as a part of the mean, in 95 of 100 cases.
 *
 * @param known - the part of all values that these are: with all of them, nothing is unsure
 * @returns undefined if there are too few values to tell
 */
export function marginOf (values: readonly number[], known: number): number | undefined {
  if (known >= 1) {
    return 0
  }

  if (values.length < 2) {
    return undefined
  }

  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)

  return mean === 0 ? 0 : (T.at(values.length - 2) ?? 2) * Math.sqrt(variance / values.length * (1 - known)) / mean
}

/** The margin of a product of two values, each with its own. Undefined if one of them is. */
export function marginOfProduct (a: number | undefined, b: number | undefined): number | undefined {
  return a == null || b == null ? undefined : Math.hypot(a, b)
}
