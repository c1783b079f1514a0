import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { NoInputError } from '../benchmark.ts'
import type { JoinTables, Table } from '../benchmark.ts'

/** The result of one run of one benchmark, as stored in a JSON file. */
export interface Result {
  name: string
  question: string
  /** The day of the run, such as 2025-01-31. */
  date: string
  smoke: boolean
  machine: string
  versions: Record<string, string>
  seconds: number
  tables: Table[]
  /**
   * What to run to measure it again.
   *
   * @default `npm run bench -- ${name}`
   */
  command?: string
}

export function resultFile (directory: string, name: string): string {
  return join(directory, `${name}.json`)
}

export function writeResult (file: string, result: Result): void {
  mkdirSync(dirname(file), { recursive: true })
  // a half-written file would be taken for a result
  writeFileSync(`${file}.tmp`, `${JSON.stringify(result, undefined, 2)}\n`)
  renameSync(`${file}.tmp`, file)
}

/**
 * The result of a benchmark, if there is one.
 *
 * @throws {NoInputError} the file holds something else
 */
export function readResult (directory: string, name: string): Result | undefined {
  const file = resultFile(directory, name)

  if (!existsSync(file)) {
    return undefined
  }

  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Result
  } catch (err) {
    throw new NoInputError(`${file} is not a result of a benchmark: delete it, and measure again`, { cause: err })
  }
}

/**
 * Write a result beside the parts that an earlier one has of the same benchmark.
 *
 * @param join - how, or undefined if the benchmark has no parts: then it takes the place of the earlier one
 * @throws {NoInputError} the earlier one is no result, or was measured on another machine
 */
export function addResult (directory: string, result: Result, join: JoinTables | undefined): void {
  const file = resultFile(directory, result.name)
  const earlier = join == null ? undefined : readResult(directory, result.name)

  // of one that an older version of the benchmark wrote, nothing may be left to join
  if (join == null || earlier == null || earlier.smoke !== result.smoke || join(earlier.tables, []).length === 0) {
    writeResult(file, result)
    return
  }

  if (earlier.machine !== result.machine) {
    throw new NoInputError(`${file} was measured on ${earlier.machine}: delete it, or join no other result with it`)
  }

  writeResult(file, { ...result, tables: join(earlier.tables, result.tables) })
}

/**
 * Copy the results of full runs. What `to` has of other benchmarks stays: the report is written from all of them,
 * though nobody has measured all on one day.
 *
 * @param joinOf - how parts of a benchmark are joined
 * @returns how many there were
 * @throws {NoInputError} a file in `from` holds something else
 */
export async function keepResults (
  from: string,
  to: string,
  joinOf: (name: string) => Promise<JoinTables | undefined> = async () => undefined
): Promise<number> {
  let kept = 0

  for (const name of globSync('*.json', { cwd: from }).map(file => basename(file, '.json'))) {
    const result = readResult(from, name)

    if (result?.smoke === false) {
      addResult(to, result, await joinOf(name))
      kept++
    }
  }

  return kept
}
