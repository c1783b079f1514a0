export interface BenchmarkOptions {
  /** So little that it only shows that everything still runs. */
  smoke: boolean
  /** A file to measure with, where one is enough, instead of those of the corpus. */
  file?: string
  /** A directory of files to measure with. */
  corpus?: string
}

/** What is measured, and what is told beside it, such as CIDs. */
export type Row = Record<string, string | number>

export interface Table {
  title: string
  rows: Row[]
}

export interface Benchmark {
  question: string
  /** Which of the options that name files it takes. */
  inputs: ReadonlyArray<'corpus' | 'file'>
  /** Measure, and give the rows of the table to print, or several tables. */
  run (options: BenchmarkOptions): Promise<Row[] | Table[]>
}

/** Thrown when there is nothing to measure or to report with: the message is all that whoever asked needs. */
export class NoInputError extends Error {
  override name = 'NoInputError'
}

/** The wall and processor time of something, in milliseconds. */
export interface Time {
  wall: number
  cpu: number
}

/** Do something, and tell how long it took beside what it gave. */
export async function measure<T> (work: () => Promise<T>): Promise<Time & { result: T }> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  const result = await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)

  return { wall, cpu: (user + system) / 1000, result }
}

/** The one in the middle, or what is half way between the two that are. */
export function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)

  return (sorted[Math.floor((values.length - 1) / 2)] + sorted[Math.floor(values.length / 2)]) / 2
}

/**
 * The items, from another one on in each round. In the same order always, a garbage
 * collection that comes as regularly as the rounds falls on the same one each time.
 */
export function rotate<T> (items: readonly T[], round: number): T[] {
  const start = round % items.length

  return [...items.slice(start), ...items.slice(0, start)]
}

/** The smallest and the largest, as text. */
export function spread (values: readonly number[]): string {
  return `${rounded(Math.min(...values))}-${rounded(Math.max(...values))}`
}

/** Three figures, or all that are before the point. */
export function rounded (value: number): number {
  return Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value)
}

export function sum (values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Say what is measured now: long ones would seem to stand still. */
export function progress (text: string): void {
  process.stderr.write(`${text}\n`)
}
