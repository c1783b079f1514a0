/** What comes first, then the rest. */
export async function * prepend<T> (first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield * first
  yield * rest
}
