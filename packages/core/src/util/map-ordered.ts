import { mapOrdered as mapInOrder } from '@ipfsz/utils/map-ordered'
import { InvalidParametersError } from '../errors.ts'
import type { MapOrderedOptions } from '@ipfsz/utils/map-ordered'

/**
 * Map the values of a source, several at a time, and yield the results in the source's order.
 *
 * @throws {InvalidParametersError} `concurrency` is not a whole number from 1
 */
export async function * mapOrdered<T, R> (
  source: AsyncIterable<T> | Iterable<T>,
  map: (value: T) => R | Promise<R>,
  options: MapOrderedOptions
): AsyncGenerator<R> {
  checkConcurrency(options.concurrency)

  yield * mapInOrder(source, map, options)
}

/** @throws {InvalidParametersError} it is not a whole number from 1 */
export function checkConcurrency (concurrency: number): void {
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    // with 0 there would be no results at all, which looks like an empty file
    throw new InvalidParametersError(`Concurrency must be a whole number from 1, not ${concurrency}`)
  }
}
