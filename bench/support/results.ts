import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { NoInputError } from '../benchmark.ts'
import type { Table } from '../benchmark.ts'

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
 * Copy the results of full runs. What `to` has of other benchmarks stays: nobody has measured all on one day.
 *
 * @returns how many there were
 * @throws {NoInputError} a file in `from` holds something else
 */
export function keepResults (from: string, to: string): number {
  let kept = 0

  for (const name of globSync('*.json', { cwd: from }).map(file => basename(file, '.json'))) {
    const result = readResult(from, name)

    if (result?.smoke === false) {
      writeResult(resultFile(to, name), result)
      kept++
    }
  }

  return kept
}
