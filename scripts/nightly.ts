/**
 * Runs the suites of scripts/nightly-suites.ts, and stamps each that is green with the hash of what it guards. Run
 * after a build:
 *
 *   node scripts/nightly.ts [NAME...] [--due] [--within MINUTES]
 *   node scripts/nightly.ts --list
 *   node scripts/nightly.ts --who FILE
 *
 * NAME..    only these suites
 * --due     only those whose stamp is not the hash of what they guard now, those that guard the fewest files first
 * --within  only as many as end within this time, on two quiet cores; the others are listed
 * --list    run nothing, and list what is due: a failure if anything is
 * --who     run nothing, and list the suites that guard a file
 */
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { ALWAYS, NIGHTLY } from './nightly-suites.ts'
import { filesOf } from './nightly/files.ts'
import { dueSuites, minutesOf, runSuites } from './nightly/run-suites.ts'
import { guardedFiles } from './nightly/stamp.ts'

const ROOT = dirname(import.meta.dirname)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    due: { type: 'boolean', default: false },
    within: { type: 'string' },
    list: { type: 'boolean', default: false },
    who: { type: 'string' }
  }
})
const within = Number(values.within ?? Infinity)
const unknown = positionals.filter(name => !Object.hasOwn(NIGHTLY, name))

if (unknown.length > 0 || !(within >= 0)) {
  throw new Error(
    `Not suites: ${unknown.join(', ')}. Those are ${Object.keys(NIGHTLY).join(', ')}. --within ${within} takes minutes`
  )
}

const all = Object.entries(NIGHTLY)
const suites = positionals.length === 0 ? all : all.filter(([name]) => positionals.includes(name))

if (values.who != null) {
  listGuards(values.who)
} else if (values.list) {
  process.exitCode = listDue() ? 1 : 0
} else {
  const failed = runSuites(ROOT, values.due ? dueSuites(ROOT, suites) : suites, { within })

  console.info()
  listDue()

  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}`)
    process.exitCode = 1
  }
}

/** Whether anything is. */
function listDue (): boolean {
  const due = dueSuites(ROOT, all)

  for (const [name, suite] of due) {
    console.info(`Due: npm run test:nightly -- ${name} (${minutesOf(suite)})`)
  }

  console.info(due.length === 0 ? 'No suite is due' : 'A release needs them: commit the stamps of green runs')

  return due.length > 0
}

function listGuards (file: string): void {
  for (const [name, globs] of Object.entries(ALWAYS)) {
    if (filesOf(ROOT, globs).includes(file)) {
      console.info(`${name}: always`)
    }
  }

  for (const [name, suite] of Object.entries(NIGHTLY)) {
    if (guardedFiles(ROOT, suite).includes(file)) {
      console.info(`${name}: nightly`)
    }
  }
}
