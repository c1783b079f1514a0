import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NoInputError } from '../benchmark.ts'
import { readResult } from '../support/results.ts'
import { toSvg } from './chart.ts'
import { CHARTS } from './charts.ts'
import { lossGroups } from './loss-groups.ts'
import { LOSSES } from './losses.ts'
import { toMarkdown, toSection } from './markdown.ts'
import { overview } from './overview.ts'
import { rowsOf } from './rows.ts'
import { summary } from './summary.ts'
import { PROFILED } from './targets/obstacle.ts'
import { obstacles } from './targets/obstacles.ts'
import { targetGroups, targets } from './targets/targets.ts'
import type { Result } from '../support/results.ts'
import type { Results } from './rows.ts'
import type { TargetGroup } from './targets/targets.ts'

/**
 * The title of every benchmark's page, and of that of `npm run soak`, in the order of the report: the most frequent
 * questions first.
 */
export const TITLES: Readonly<Record<string, string>> = {
  storage: 'Stored bytes',
  local: 'Adding and reading on one machine',
  network: 'Fetching from another node',
  slow: 'Fetching whole files over slow links',
  connections: 'Compressed connections',
  gateway: 'Serving over HTTP',
  random: 'Reading at random places',
  datasets: 'Databases and tables in parts',
  bypass: 'Files that are compressed already',
  floor: 'What an add and a read cannot do without',
  tree: 'Many small files',
  versions: 'Releases of a file',
  memory: 'Memory',
  start: 'Starting the command',
  'first-byte': 'The first byte',
  site: 'Sites of nodes over one store',
  soak: 'Many files while a process of the store is killed',
  browser: 'In a page',
  demo: 'The demo page',
  links: 'Links to originals',
  blockstore: 'Blocks compressed at rest',
  packs: 'Blocks in packs',
  folder: 'Folders of many files',
  codecs: 'Codecs',
  proxy: 'The simulated link'
}

const WRITTEN = '`npm run bench -- report` generates this page from the results in `bench/results`. Do not edit it.'

/**
 * Write `benchmarks.md`, a page below `benchmarks/` for each benchmark, and their charts.
 *
 * @param directory - the directory with the results of full runs, in JSON
 * @param docs - the directory to write to
 * @throws {NoInputError} there are no results
 */
export async function writeReport (directory: string, docs: string): Promise<void> {
  const names = Object.keys(TITLES)
  const results = new Map(names.flatMap(name => {
    const result = readResult(directory, name)

    return result == null || result.smoke ? [] : [[name, result] as const]
  }))

  if (results.size === 0) {
    throw new NoInputError(`No results of full runs in ${directory}. Measure them with npm run bench -- all`)
  }

  const [charts, pages] = ['charts', 'benchmarks'].map(name => join(docs, name))

  for (const written of [charts, pages]) {
    rmSync(written, { recursive: true, force: true })
    mkdirSync(written, { recursive: true })
  }

  const missing = names.filter(name => !results.has(name))
  writeFileSync(join(pages, 'targets.md'), `${targetsPage(targetGroups(results), obstacles(results))}\n`)

  for (const [name, result] of results) {
    const losses = LOSSES[name]?.(results) ?? []
    writeFileSync(join(pages, `${name}.md`), `${toPage(result, losses, writeCharts(name, results, charts))}\n`)
  }

  const chart = overview(results)
  writeFileSync(join(charts, 'overview.svg'), `${toSvg(chart)}\n`)
  writeFileSync(join(docs, 'benchmarks.md'), `${front(results, missing, `![${chart.title}](charts/overview.svg)`)}\n`)

  if (missing.length > 0) {
    console.warn(`These have no result of a full run: ${missing.join(', ')}`)
  }
}

function front (results: Results, missing: readonly string[], picture: string): string {
  const goals = targets(results)
  const reached = goals.filter(({ reached }) => reached === 'yes').length
  const questions = [...results.values()]
    .map(({ name, question }) => ({ page: `[${name}](benchmarks/${name}.md)`, question: capitalized(question) }))

  return [
    '# Benchmarks',
    `File sizes and speeds, measured on ${machines(results)}, with Node ${versionOf(results, 'node')}. ` +
    'Times are medians. Ratios are more likely than times to be the same on other machines.',
    picture,
    bullets(summary(results)),
    '## Where IPFSz loses',
    bullets(lossGroups(results)),
    'Each benchmark\'s page lists every figure for which IPFSz is worse. ' +
    `${reached} of ${goals.length} [targets](benchmarks/targets.md) are met.`,
    '## Every benchmark',
    linkPaper(toMarkdown(questions), 'format.md'),
    '## How it was measured',
    bullets(method(results, missing)),
    WRITTEN
  ].join('\n\n')
}

/** Link the first mention of the paper to the document that cites it. */
function linkPaper (text: string, format: string): string {
  return text.replace(/\bthe paper\b/i, paper => `[${paper}](${format})`)
}

function method (results: Results, missing: readonly string[]): string[] {
  const link = rowsOf(results, 'proxy')
  const kept = link.filter(row => row['within 3 %'] === 'yes').length
  const dates = distinct([...results.values()].map(({ date }) => date)).toSorted()

  return [
    `${machines(results)}. Each page names its own: figures of different machines cannot be compared.`,
    `${dates.join(', ')}. ${versionsOf(results)}.`,
    'Everything that is compared was measured in one run, alternating: A, B, A, B. ' +
    'Times are medians; the spread is the minimum and the maximum. ' +
    '"Times as fast" is against plain Helia unless the table says otherwise; above 1 is better.',
    `The simulated link kept its rate and round trip within 3 % at ${kept} of ${link.length} settings ` +
    'while nothing else ran, in the best of a few tries ([proxy](benchmarks/proxy.md)). ' +
    'It shares the processor with the nodes that it connects.',
    'The stored bytes of a file are the bytes of all its blocks. 1 MB is a million bytes.',
    '`npm run bench -- NAME` runs one benchmark. With `--file FILE` or `--corpus DIR` it measures your own files, ' +
    'unless the benchmark generates its input.',
    ...missing.length === 0 ? [] : [`Not measured: ${missing.join(', ')}.`]
  ]
}

function toPage (result: Result, losses: readonly string[], pictures: string[]): string {
  const { name, question, date, machine, versions, tables, seconds, command = `npm run bench -- ${name}` } = result
  const page = [
    `# ${TITLES[name]}`,
    `${capitalized(question)}.`,
    ...pictures,
    ...losses.length === 0 ? [] : ['## Where IPFSz loses', bullets(losses), '## Figures'],
    ...tables.map(toSection),
    // parts that were measured at different times say so themselves
    (tables.some(({ rows }) => rows.some(row => row.measured != null))
      ? `Measured with ${machine}. Each row says when, and with which versions. `
      : `Measured on ${date}, with ipfsz ${versions.ipfsz} and ${machine}; \`${command}\` took ${seconds} s. `) +
    '[All benchmarks](../benchmarks.md), and how they were measured.'
  ].join('\n\n')

  return linkPaper(page, '../format.md')
}

function targetsPage (groups: readonly TargetGroup[], obstacles: readonly string[]): string {
  return [
    '# Targets',
    'The targets, and what was measured. **The limit** is what a simple program for Node (or a page) reaches on the ' +
    'same machine that does only what cannot be left out: the codec, the hash and the store. It is that of ' +
    '`node:zlib`, not of libzstd, [which allows more](../codecs.md#why-there-is-no-addon-of-our-own). Where it ' +
    'misses a target, no library without an addon comes near. A share of it above 1 means that IPFSz does the same ' +
    'better, by freeing memory earlier or by using more threads. Of a fetch, the limit is what curl reaches, which ' +
    'neither checks nor decompresses; over 1 Gbit/s a program that does both, and stores nothing. **The floor** of a ' +
    'fetch is the time that the stored bytes take at the rate of the link, and three round trips.',
    'Adds and reads on one machine are of the benchmark [floor](floor.md) unless it is said otherwise: there, a warm ' +
    'process does the same again and again. [local](local.md) starts a new process for each large file, so its ' +
    'ratios differ.',
    ...groups.flatMap(({ title, rows }) => rows.length === 0 ? [] : [`## ${title}`, toMarkdown(rows)]),
    ...obstacles.length === 0 ? [] : [
      '## What stands in the way',
      `Times are those of the benchmarks; shares of processor time are of profiles of ${PROFILED}.`,
      bullets(obstacles)
    ],
    '[All benchmarks](../benchmarks.md)'
  ].join('\n\n')
}

function writeCharts (name: string, results: Results, directory: string): string[] {
  return Object.entries(CHARTS[name]?.(results) ?? {}).map(([file, chart]) => {
    writeFileSync(join(directory, `${file}.svg`), `${toSvg(chart)}\n`)

    return `![${chart.title}, ${chart.unit}](../charts/${file}.svg)`
  })
}

function machines (results: Results): string {
  return distinct([...results.values()].map(({ machine }) => machine)).join('; ')
}

/** The versions of everything that ran. Several versions of one package only if the results are from different days. */
function versionsOf (results: Results): string {
  const names = distinct([...results.values()].flatMap(({ versions }) => Object.keys(versions)))

  return names.map(name => `${name} ${versionOf(results, name)}`).join(', ')
}

function versionOf (results: Results, name: string): string {
  return distinct([...results.values()].flatMap(({ versions }) => versions[name] ?? [])).join(' and ')
}

function distinct (values: readonly string[]): string[] {
  return [...new Set(values)]
}

function bullets (lines: readonly string[]): string {
  return lines.map(line => `- ${line.replace(/(?<![.:])$/, '.')}`).join('\n')
}

function capitalized (text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
