import { spawnSync } from 'node:child_process'
import { filesOf } from './files.ts'
import { guardedFiles, hashGuarded, readStamp, writeStamp } from './stamp.ts'
import type { NightlySuite } from '../nightly-suites.ts'

const VITEST = 'node_modules/vitest/vitest.mjs'
const FILTERS = { nightly: 'nightly', slow: 'slow && !nightly' }

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

export interface RunSuitesResult {
  failed: string[]
  /** Those for which there was no time. */
  left: NamedSuite[]
}

/** The suites whose guarded files are not those of their last green run, those that guard the fewest files first. */
export function dueSuites (root: string, suites: readonly NamedSuite[]): NamedSuite[] {
  return suites
    .filter(([name, suite]) => readStamp(root, name) !== hashGuarded(root, suite))
    .map(named => ({ named, files: guardedFiles(root, named[1]).length }))
    .toSorted((a, b) => a.files - b.files)
    .map(({ named }) => named)
}

/** Run suites one after the other, and stamp each that is green. */
export function runSuites (
  root: string,
  suites: readonly NamedSuite[],
  { within = Infinity, run = runSuite, onLine = console.info }: RunSuitesOptions = {}
): RunSuitesResult {
  const deadline = performance.now() + within * 60_000
  const failed: string[] = []
  const left: NamedSuite[] = []

  for (const named of suites) {
    const [name, suite] = named

    if (performance.now() + suite.minutes * 60_000 > deadline) {
      left.push(named)
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

  return { failed, left }
}

export function minutesOf ({ minutes }: NightlySuite): string {
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}

function runSuite (root: string, { runs }: NightlySuite): boolean {
  return runs.every(run => {
    const args = 'project' in run
      // to Vitest, a name is a part of a path, not a glob
      ? [VITEST, 'run', '--project', run.project, '--tags-filter', FILTERS[run.tag ?? 'nightly'], ...filesOf(
          root,
          run.files
        )]
      : [run.script, ...run.args ?? []]

    return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
  })
}
