import { spawnSync } from 'node:child_process'
import { filesOf } from './files.ts'
import { guardedFiles, hashGuarded, readStamp, writeStamp } from './stamp.ts'
import type { NightlySuite, TestRun } from '../nightly-suites.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'
const FILTERS = { nightly: 'nightly', slow: 'slow && !nightly', neither: '!slow && !nightly' }

/** A suite, by its name in the table. */
export type NamedSuite = readonly [name: string, suite: NightlySuite]

export interface RunSuitesOptions {
  /** No suite starts that would end later, in minutes. @default Infinity */
  within?: number
  /** Runs a suite, and returns whether it was green. @default runSuite */
  run?: (root: string, suite: NightlySuite) => boolean
  /** Called with what happens. @default console.info */
  onLine?: (line: string) => void
}

/** The suites whose guarded files are not those of their last green run, those that guard the fewest files first. */
export function dueSuites (root: string, suites: readonly NamedSuite[]): NamedSuite[] {
  return suites
    .filter(([name, suite]) => readStamp(root, name) !== hashGuarded(root, suite))
    .map(named => ({ named, files: guardedFiles(root, named[1]).length }))
    .toSorted((a, b) => a.files - b.files)
    .map(({ named }) => named)
}

/** Run suites one after the other, and stamp each that is green. Returns those that failed. */
export function runSuites (
  root: string,
  suites: readonly NamedSuite[],
  { within = Infinity, run = runSuite, onLine = console.info }: RunSuitesOptions = {}
): string[] {
  const deadline = performance.now() + within * 60_000
  const failed: string[] = []

  for (const [name, suite] of suites) {
    if (performance.now() + suite.minutes * 60_000 > deadline) {
      continue
    }

    onLine(`\n${name}: ${minutesOf(suite)}`)
    const hash = hashGuarded(root, suite)

    if (!run(root, suite)) {
      failed.push(name)
    } else if (hash === hashGuarded(root, suite)) {
      writeStamp(root, name, hash)
    } else {
      onLine(`${name} is green, but files that it guards changed meanwhile: it stays due`)
    }
  }

  return failed
}

export function minutesOf ({ minutes }: NightlySuite): string {
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}

function runSuite (root: string, { runs }: NightlySuite): boolean {
  return runs.every(run => {
    const args = 'project' in run ? argumentsOf(root, run) : [run.script, ...run.args ?? []]

    return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
  })
}

function argumentsOf (root: string, { project, files, tag = 'nightly' }: TestRun): string[] {
  // Vitest takes no globs
  return [VITEST, 'run', '--project', project, '--tags-filter', FILTERS[tag], '--retry', '1', ...filesOf(root, files)]
}
