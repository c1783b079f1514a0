export interface BenchmarkOptions {
  /** A tiny run that only shows that everything still works. */
  smoke: boolean
  /** A file to measure with instead of the corpus, if the benchmark needs only one. */
  file?: string
  /** A directory of files to measure with. */
  corpus?: string
}

/** Figures, and what identifies them, such as CIDs. */
export type Row = Record<string, string | number>

export interface Table {
  title: string
  rows: Row[]
}

export interface Benchmark {
  question: string
  /** Which of the options that name input files it takes. */
  inputs: ReadonlyArray<'corpus' | 'file'>
  /** Measure, and return the rows of one table, or several tables. */
  run (options: BenchmarkOptions): Promise<Row[] | Table[]>
}

/** There is nothing to measure or report. The message says it all, so no stack is printed. */
export class NoInputError extends Error {
  override name = 'NoInputError'
}

/** Wall and processor time, in milliseconds. */
export interface Time {
  wall: number
  cpu: number
}

/** Run `work`, and return its result and how long it took. */
export async function measure<T> (work: () => Promise<T>): Promise<Time & { result: T }> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const result = await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)

  return { wall, cpu: (user + system) / 1000, result }
}

/** The middle value, or the mean of the two middle ones. */
export function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)

  return (sorted[Math.floor((values.length - 1) / 2)] + sorted[Math.floor(values.length / 2)]) / 2
}

/**
 * The items, beginning with another one in each round. In a fixed order, a garbage
 * collection that is as regular as the rounds would always hit the same item.
 */
export function rotate<T> (items: readonly T[], round: number): T[] {
  const start = round % items.length

  return [...items.slice(start), ...items.slice(0, start)]
}

/** The smallest and the largest, as text. */
export function spread (values: readonly number[]): string {
  return `${rounded(Math.min(...values))}-${rounded(Math.max(...values))}`
}

/** Rounds to three significant digits, or to an integer if that has more. */
export function rounded (value: number): number {
  return Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value)
}

export function sum (values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Say what is being measured, so that a long benchmark does not seem to hang. */
export function progress (text: string): void {
  process.stderr.write(`${text}\n`)
}
