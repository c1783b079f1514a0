/** Everything that a source gives. */
export async function toArray<T> (source: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const values: T[] = []

  for await (const value of source) {
    values.push(value)
  }

  return values
}
