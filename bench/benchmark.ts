export interface BenchmarkOptions {
  /** Measure tiny inputs, only to check that everything still runs. */
  smoke: boolean
  /** A file to measure with instead of the corpus, if the benchmark needs only one. */
  file?: string
  /** A directory of files to measure with. */
  corpus?: string
}

/** A row of measurements, with other facts such as CIDs. */
export type Row = Record<string, string | number>

export interface Table {
  title: string
  rows: Row[]
}

export interface Benchmark {
  question: string
  /** The options for input files that it takes. */
  inputs: ReadonlyArray<'corpus' | 'file'>
  /** Measure, and return the rows of the table to print, or several tables. */
  run (options: BenchmarkOptions): Promise<Row[] | Table[]>
}

/** Thrown when there is nothing to measure or to report. Only its message is printed, without a stack. */
export class NoInputError extends Error {
  override name = 'NoInputError'
}

/** Wall and processor time, in milliseconds. */
export interface Time {
  wall: number
  cpu: number
}

/** Run `work`. Returns its result, and how long it took. */
export async function measure<T> (work: () => Promise<T>): Promise<Time & { result: T }> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const result = await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)

  return { wall, cpu: (user + system) / 1000, result }
}

/** The middle value, or the mean of the two middle values. */
export function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)

  return (sorted[Math.floor((values.length - 1) / 2)] + sorted[Math.floor(values.length / 2)]) / 2
}

/**
 * The items, each round starting with a different one. In a fixed order, a garbage collection
 * that is as regular as the rounds would always hit the same item.
 */
export function rotate<T> (items: readonly T[], round: number): T[] {
  const start = round % items.length

  return [...items.slice(start), ...items.slice(0, start)]
}

/** The minimum and the maximum, as text. */
export function spread (values: readonly number[]): string {
  return `${rounded(Math.min(...values))}-${rounded(Math.max(...values))}`
}

/** Round to three digits, or to a whole number if it has more. */
export function rounded (value: number): number {
  return Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value)
}

export function sum (values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Print what is being measured, because a long benchmark would seem to hang. */
export function progress (text: string): void {
  process.stderr.write(`${text}\n`)
}
