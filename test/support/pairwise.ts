/** One value of each parameter. */
export type Row<P extends Record<string, readonly unknown[]>> = { [K in keyof P]: P[K][number] }

type Parameters = Record<string, readonly unknown[]>

/**
 * A few of all combinations of the parameters' values, in which every two values of different parameters meet: nearly
 * all faults need no more than two. The same parameters have the same rows.
 */
export function pairwise<const P extends Parameters> (parameters: P): Array<Row<P>> {
  return cover(parameters, places => places.flatMap(
    (one, i) => [one, ...places.slice(i + 1).map(other => `${one}, ${other}`)]
  ))
}

/** As few combinations as have every value. */
export function eachValue<const P extends Parameters> (parameters: P): Array<Row<P>> {
  return cover(parameters, places => places)
}

/** All combinations of the parameters' values. The values of the last parameter change first. */
export function product<const P extends Parameters> (parameters: P): Array<Row<P>> {
  return Object.entries(parameters).reduce<Array<Record<string, unknown>>>(
    (rows, [name, values]) => rows.flatMap(row => values.map(value => ({ ...row, [name]: value }))),
    [{}]
  ) as Array<Row<P>>
}

/**
 * All combinations with the tags of their tests: none for those of `eachValue`, `tagOfPairs` for the other ones of
 * `pairwise`, and `nightly` for the rest. In a product of two parameters all combinations are pairs.
 */
export function tagCombinations<const P extends Parameters> (
  parameters: P,
  tagOfPairs: 'slow' | 'nightly' = 'slow'
): Array<Row<P> & { tags: string[] }> {
  const isIn = (rows: ReadonlyArray<Row<P>>, row: Row<P>): boolean =>
    rows.some(other => Object.keys(parameters).every(name => other[name] === row[name]))
  const [values, pairs] = [eachValue(parameters), pairwise(parameters)]

  return product(parameters).map(row => ({
    ...row,
    tags: isIn(values, row) ? [] : [isIn(pairs, row) ? tagOfPairs : 'nightly']
  }))
}

/** Choose rows, those that bring most first, until everything that is in any row is in a chosen one. */
function cover<P extends Parameters> (parameters: P, partsOf: (places: string[]) => string[]): Array<Row<P>> {
  const all = product(parameters).map(row => ({
    row,
    parts: partsOf(Object.entries(parameters).map(([name, values]) => `${name} ${values.indexOf(row[name])}`))
  }))
  const missing = new Set(all.flatMap(({ parts }) => parts))
  const rows: Array<Row<P>> = []

  while (missing.size > 0) {
    const gains = all.map(({ parts }) => parts.filter(part => missing.has(part)).length)
    const { row, parts } = all[gains.indexOf(Math.max(...gains))]
    parts.forEach(part => { missing.delete(part) })
    rows.push(row)
  }

  return rows
}
