import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoInputError } from '../benchmark.ts'
import { readResult } from '../support/results.ts'
import { toSvg } from './chart.ts'
import { CHARTS } from './charts.ts'
import { losses } from './losses.ts'
import { rowsOf } from './rows.ts'
import { toMarkdown, toSection } from './markdown.ts'
import { targets } from './targets.ts'
import type { Result } from '../support/results.ts'
import type { Results } from './rows.ts'

/** In the order of the report: what is asked first comes first. */
export const ORDER = ['storage', 'local', 'network', 'slow', 'random', 'bypass', 'tree', 'memory', 'browser', 'demo', 'links', 'blockstore', 'codecs', 'proxy']

/**
 * Write `benchmarks.md` and its charts.
 *
 * @param directory - where the JSON of full runs is
 * @param docs - where to write
 * @throws {NoInputError} there is none
 */
export async function writeReport (directory: string, docs: string): Promise<void> {
  const results = new Map(ORDER.flatMap(name => {
    const result = readResult(directory, name)

    return result == null || result.smoke ? [] : [[name, result] as const]
  }))

  if (results.size === 0) {
    throw new NoInputError(`There are no results of full runs in ${directory}: npm run bench -- all`)
  }

  const charts = join(docs, 'charts')
  rmSync(charts, { recursive: true, force: true })
  mkdirSync(charts, { recursive: true })

  const missing = ORDER.filter(name => !results.has(name))
  const sections = [...results.values()].map(result => toText(result, writeCharts(result.name, results, charts)))

  writeFileSync(join(docs, 'benchmarks.md'), `${[head(results, missing), ...sections].join('\n\n')}\n`)

  if (missing.length > 0) {
    console.warn(`These have no result of a full run: ${missing.join(', ')}`)
  }
}

function head (results: Results, missing: readonly string[]): string {
  const link = rowsOf(results, 'proxy')
  const dates = distinct([...results.values()].map(({ date }) => date)).toSorted()

  return `# Benchmarks

Written by \`npm run bench -- report\` from what \`npm run bench -- all\` measured. Do not edit it by hand.

## Where IPFSz loses

${losses(results).map(loss => `- ${loss}`).join('\n')}

## What was to be reached

${toMarkdown(targets(results))}

## How it was measured

- ${distinct([...results.values()].map(({ machine }) => machine)).join('; ')}.
- ${dates.join(', ')}. ${versionsOf(results)}.
- Everything that is compared was measured in one run, in turns: A, B, A, B. Times are medians, the spread is the least and the most. "Times as fast" is against plain Helia unless the table says otherwise; above 1 is better. Absolute times are those of this machine; ratios carry over better.
- The shaped link of the network kept its rate and round trip within 3 % at ${link.filter(row => row['within 3 %'] === 'yes').length} of ${link.length} settings while nothing else ran, in the best of a few tries, see [proxy](#proxy). It shares the processor with the nodes that it connects.
- A compressed file stored is all of its blocks. MB are millions of bytes.
- \`npm run bench -- NAME\` measures one of them, \`--file FILE\` or \`--corpus DIR\` with files of yours where it does not make its own.${missing.length === 0 ? '' : `\n- Not measured: ${missing.join(', ')}.`}`
}

/** What ran, by name: more than one version of something only where the results are of different days. */
function versionsOf (results: Results): string {
  const all = [...results.values()].map(({ versions }) => versions)
  const names = distinct(all.flatMap(versions => Object.keys(versions)))

  return names.map(name => `${name} ${distinct(all.flatMap(versions => versions[name] ?? [])).join(' and ')}`).join(', ')
}

function distinct (values: readonly string[]): string[] {
  return [...new Set(values)]
}

function toText ({ name, question, tables, seconds }: Result, pictures: string[]): string {
  return [`## ${name}`, `The question: ${question}.`, ...pictures, ...tables.map(toSection), `\`npm run bench -- ${name}\` took ${seconds} s.`].join('\n\n')
}

function writeCharts (name: string, results: Results, directory: string): string[] {
  return Object.entries(CHARTS[name]?.(results) ?? {}).map(([file, chart]) => {
    writeFileSync(join(directory, `${file}.svg`), `${toSvg(chart)}\n`)

    return `![${chart.title}, ${chart.unit}](charts/${file}.svg)`
  })
}
