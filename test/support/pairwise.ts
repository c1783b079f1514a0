/** One value of each parameter. */
export type Row<P extends Record<string, readonly unknown[]>> = { [K in keyof P]: P[K][number] }

/**
 * A few of all combinations of the parameters' values, in which every two values of different parameters meet: nearly
 * all faults need no more than two. The same parameters have the same rows. `npm run test:nightly` runs the others.
 */
export function pairwise<const P extends Record<string, readonly unknown[]>> (parameters: P): Array<Row<P>> {
  const rest = product(parameters).map(row => ({ row, pairs: pairsOf(parameters, row) }))
  const missing = new Set(rest.flatMap(({ pairs }) => pairs))
  const rows: Array<Row<P>> = []

  while (missing.size > 0) {
    const gains = rest.map(({ pairs }) => pairs.filter(pair => missing.has(pair)).length)
    const { row, pairs } = rest[gains.indexOf(Math.max(...gains))]
    pairs.forEach(pair => { missing.delete(pair) })
    rows.push(row)
  }

  return rows
}

/** All combinations of the parameters' values. The values of the last parameter change first. */
export function product<const P extends Record<string, readonly unknown[]>> (parameters: P): Array<Row<P>> {
  return Object.entries(parameters).reduce<Array<Record<string, unknown>>>(
    (rows, [name, values]) => rows.flatMap(row => values.map(value => ({ ...row, [name]: value }))),
    [{}]
  ) as Array<Row<P>>
}

/** Every value of a row, and every two, by their places. */
function pairsOf<P extends Record<string, readonly unknown[]>> (parameters: P, row: Row<P>): string[] {
  const places = Object.entries(parameters).map(([name, values]) => `${name} ${values.indexOf(row[name])}`)

  return places.flatMap((one, i) => [one, ...places.slice(i + 1).map(other => `${one}, ${other}`)])
}
