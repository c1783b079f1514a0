export interface BenchmarkOptions {
  /** So little that it only shows that everything still runs. */
  smoke: boolean
  /** A file to measure with, instead of one that is made up. */
  file?: string
}

export interface Benchmark {
  question: string
  /** Measure, and give the rows of the table to print. */
  run (options: BenchmarkOptions): Promise<Array<Record<string, string | number>>>
}

/** The wall and processor time of something, in milliseconds. */
export interface Time {
  wall: number
  cpu: number
}

export async function measure (work: () => Promise<unknown>): Promise<Time> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)

  return { wall, cpu: (user + system) / 1000 }
}

export function median (values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/** The smallest and the largest, as text. */
export function spread (values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)}`
}
