/**
 * Runs benchmarks: `npm run bench -- NAME|all|report`.
 *
 * NAME           a benchmark: the name of a file in this directory. Its `question` says what it measures
 * all            every benchmark, each in its own process, then report: some 25 minutes on a quiet machine
 * report         keep the results of full runs in bench/results, which has the newest result of every benchmark, and
 *                draw docs/charts from all that are there. The site has a page of eight; docs/benchmarks.md says what
 *                they mean
 *
 * --smoke        run with tiny inputs, only to check that it works
 * --json FILE    write the result of NAME there
 * --json-dir DIR directory of the results of `all`, by default `.bench`; also of NAME, if given.
 *                `all` skips benchmarks that have a full result there. Delete the file to measure again
 * --corpus DIR   measure with these files; by default with those of ../shared/data, or generated ones
 *                if there is no such directory
 * --file FILE    measure with this file, in benchmarks that need only one. Benchmarks that generate
 *                their input refuse --corpus and --file
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, closeSync, constants, globSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { NoInputError } from './benchmark.ts'
import { atExit } from './support/at-exit.ts'
import { printTables } from './support/print.ts'
import { keepResults, readResult, resultFile, writeResult } from './support/results.ts'
import { describeMachine, versions } from './support/machine.ts'
import type { Benchmark, BenchmarkOptions, Row, Table } from './benchmark.ts'
import type { Result } from './support/results.ts'

const ROOT = join(import.meta.dirname, '..')
const DEFAULT_DIRECTORY = join(ROOT, '.bench')
const KEPT = join(import.meta.dirname, 'results')
const INPUTS = ['corpus', 'file'] as const
const OTHERS = new Set(['run', 'benchmark'])

const names = globSync('*.ts', { cwd: import.meta.dirname }).map(file => basename(file, '.ts')).filter(
  name => !OTHERS.has(name)
).toSorted()
const { values, positionals } = readArguments()
const { smoke, corpus, file } = values
const [name] = positionals
const options: BenchmarkOptions = {
  smoke,
  ...corpus == null ? {} : { corpus },
  ...file == null ? {} : { file }
}

if (positionals.length !== 1 || !['all', 'report', ...names].includes(name)) {
  refuse(`Name one benchmark (${names.join(', ')}), all or report`)
}

if (values.json != null && ['all', 'report'].includes(name)) {
  refuse(`--json is for one benchmark, --json-dir for ${name}`)
}

if (corpus != null && statSync(corpus, { throwIfNoEntry: false })?.isDirectory() !== true) {
  refuse(`There is no directory ${corpus}`)
}

if (file != null && (statSync(file, { throwIfNoEntry: false })?.isFile() !== true || statSync(file).size === 0)) {
  refuse(`${file} is not a file, or is empty`)
}

// checked before the work, not after it
if (values.json != null && !canWrite(values.json)) {
  refuse(`Cannot write to ${values.json}`)
}

if (values['json-dir'] != null && name !== 'report' && !canWriteInto(values['json-dir'])) {
  refuse(`Cannot write into ${values['json-dir'] || 'a directory without a name'}`)
}

try {
  if (name === 'all') {
    await runAll()
  }

  if (name === 'report' || (name === 'all' && !smoke && process.exitCode == null)) {
    const { readResults, writeCharts } = await import('./report/report.ts')
    const directory = values['json-dir']

    if (keepResults(directory ?? DEFAULT_DIRECTORY, KEPT) === 0 && directory != null) {
      refuse(`No results of full runs in ${directory}. Measure them with npm run bench -- all`)
    }

    await writeCharts(readResults(KEPT), join(ROOT, 'docs/charts'))
  } else if (name !== 'all') {
    await runOne()
    // all is printed: at its own end Node would wait for handles of libraries, and once waited for ever
    process.exit()
  }
} catch (err) {
  if (!(err instanceof NoInputError)) {
    throw err
  }

  refuse(err.message)
}

function readArguments () {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        smoke: { type: 'boolean', default: false },
        json: { type: 'string' },
        'json-dir': { type: 'string' },
        corpus: { type: 'string' },
        file: { type: 'string' }
      }
    })
  } catch (err) {
    return refuse((err as Error).message)
  }
}

function refuse (message: string): never {
  console.error(message)
  process.exit(2)
}

function canWrite (file: string): boolean {
  const there = statSync(file, { throwIfNoEntry: false })

  if (there?.isFile() === false) {
    return false
  }

  try {
    closeSync(openSync(file, 'a'))
  } catch {
    return false
  }

  if (there == null) {
    rmSync(file)
  }

  return true
}

function canWriteInto (directory: string): boolean {
  try {
    mkdirSync(directory, { recursive: true })
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

async function load (name: string): Promise<Benchmark> {
  const { benchmark } = await import(`./${name}.ts`) as { benchmark: Benchmark }

  return benchmark
}

async function runOne (): Promise<void> {
  const benchmark = await load(name)

  for (const input of INPUTS) {
    if (values[input] != null && !benchmark.inputs.includes(input)) {
      refuse(`${name} takes no --${input}`)
    }
  }

  const environment = { machine: describeMachine(), versions: versions() }

  console.info(
    `${name}: ${benchmark.question}\n${environment.machine}\n${Object.entries(environment.versions).map(entry =>
      entry.join(' ')).join(', ')}\n`
  )

  const start = performance.now()
  const measured = await benchmark.run(options)
  const tables = toTables(measured)
  const result: Result = {
    name,
    question: benchmark.question,
    date: new Date().toISOString().slice(0, 10),
    smoke,
    ...environment,
    seconds: Math.round((performance.now() - start) / 1000),
    tables
  }

  printTables(tables)

  if (values.json != null) {
    writeResult(values.json, result)
  }

  if (values['json-dir'] != null) {
    writeResult(resultFile(values['json-dir'], name), result)
  }
}

function toTables (measured: Row[] | Table[]): Table[] {
  return measured.every((row): row is Table => Array.isArray(row.rows))
    ? measured
    : [{ title: '', rows: measured as Row[] }]
}

/** Run each in its own process, so that the garbage of one does not slow down the next. */
async function runAll (): Promise<void> {
  const directory = values['json-dir'] ?? (smoke ? undefined : DEFAULT_DIRECTORY)
  const failed: string[] = []
  const measured = smoke || directory == null ? [] : names.filter(name => readResult(directory, name)?.smoke === false)

  for (const name of names) {
    if (directory != null && measured.includes(name)) {
      console.info(`Skipping ${name}, which already has a result: ${resultFile(directory, name)}\n`)
      continue
    }

    const { inputs } = await load(name)
    const args = [
      ...smoke ? ['--smoke'] : [],
      ...directory == null ? [] : ['--json-dir', directory],
      ...inputs.flatMap(input => values[input] == null ? [] : [`--${input}`, values[input]])
    ]

    const child = spawn(process.execPath, [import.meta.filename, name, ...args], { stdio: 'inherit' })
    const stay = atExit(() => { child.kill() })
    const [code] = await once(child, 'exit') as [number | null]
    stay()

    if (code !== 0) {
      failed.push(name)
    }
  }

  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}`)
    process.exitCode = 1
  }
}
