import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoInputError } from '../benchmark.ts'
import { readResult } from '../support/results.ts'
import { toSection } from './markdown.ts'
import type { Result } from '../support/results.ts'
import type { Results } from './rows.ts'

/** The eight benchmarks that have a page, in the order of the sidebar. Others are for developers. */
export const TITLES: Readonly<Record<string, string>> = {
  local: 'One file on one machine',
  folder: 'A folder of small files',
  versions: 'Releases of a file',
  network: 'Fetching from another node',
  gateway: 'Serving over HTTP',
  random: 'Reading at random places',
  memory: 'Memory',
  start: 'Starting the command'
}

/**
 * The results of full runs.
 *
 * @throws {NoInputError} there are none
 */
export function readResults (directory: string): Results {
  const results = new Map(Object.keys(TITLES).flatMap(name => {
    const result = readResult(directory, name)

    return result == null || result.smoke ? [] : [[name, result] as const]
  }))

  if (results.size === 0) {
    throw new NoInputError(`No results of full runs in ${directory}. Measure them with npm run bench -- all`)
  }

  return results
}

/** A page with all figures of a benchmark, which the site shows. */
export function toPage ({ name, question, date, machine, versions, tables, seconds }: Result): string {
  return [
    `# ${TITLES[name]}`,
    `${question.charAt(0).toUpperCase()}${question.slice(1)}.`,
    ...tables.map(toSection),
    `Measured on ${date}, with ipfsz ${versions.ipfsz} and ${machine}; \`npm run bench -- ${name}\` took ${seconds} s.`
  ].join('\n\n')
}

/** Draw the charts of docs/benchmarks.md. */
export async function writeCharts (results: Results, directory: string): Promise<void> {
  // only here: ECharts takes a second to load
  const [{ charts }, { toSvg }] = await Promise.all([import('./charts.ts'), import('./chart.ts')])

  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })

  for (const [name, chart] of Object.entries(charts(results))) {
    writeFileSync(join(directory, `${name}.svg`), `${toSvg(chart)}\n`)
  }
}
