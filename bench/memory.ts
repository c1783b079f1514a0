import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rounded, spread } from './benchmark.ts'
import { mixedFile, withCorpus } from './support/corpus.ts'
import { DEFAULT, PLAIN, TRANSIENT } from './support/file-systems.ts'
import { runTask } from './support/task.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Outcome } from './support/task.ts'

const MB = 1e6

/**
 * No size from 2 to 4 GiB: protons-runtime 8.0.1 writes such numbers of a UnixFS message wrongly,
 * with bytes that were in memory before, so plain Helia cannot read what it added.
 */
const SIZES = [10 * MB, 100 * MB, 1000 * MB, 4300 * MB]
const SMOKE = [MB, 5 * MB]
const ROUNDS = 1
const ABOUT = 'Before it begins, a process has its imports in memory: Node, Helia, and what strips the types of the ' +
  'benchmark'

/** The outcomes of the process that adds and of those that read, or why they failed. */
type Measured = { added: Outcome, read: Outcome, transient?: Outcome } | { failed: string }

export const benchmark: Benchmark = {
  question: 'whether memory depends on the size of a file: the peak resident memory of a process that adds or reads it',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const { path, name } = await mixedFile(corpus, options)
      const rows: Row[] = []

      for (const size of options.smoke ? SMOKE : SIZES) {
        const measured = new Map<string, Measured[]>([PLAIN, DEFAULT].map(side => [side, []]))
        const rounds = options.smoke ? 1 : ROUNDS

        // every side once in each round, so that other load on the machine affects all of them
        for (let round = 0; round < rounds; round++) {
          progress(`${size / MB} MB, round ${round + 1} of ${rounds}`)

          for (const [side, outcomes] of measured) {
            const directory = join(corpus.directory, 'store')
            await mkdir(directory)
            outcomes.push(await measureSide(side, size, path, directory))
            await rm(directory, { recursive: true })
          }
        }

        rows.push(...Array.from(measured, ([side, outcomes]) => toRow(side, size, outcomes)), ...transientRows(
          size,
          measured.get(DEFAULT) ?? []
        ))
      }

      return [
        { title: `${name} repeated, on an FsBlockstore (${corpus.source}). ${ABOUT}`, rows }
      ]
    })
  }
}

async function measureSide (side: string, size: number, file: string, directory: string): Promise<Measured> {
  const task = { files: side, store: 'fs' as const, directory, file, size, times: 1 }

  try {
    const added = await runTask({ ...task, action: 'add' })
    const cat = { ...task, action: 'cat', cid: added.cid } as const
    const read = await runTask(cat)

    return { added, read, ...side === DEFAULT ? { transient: await runTask({ ...cat, files: TRANSIENT }) } : {} }
  } catch (err) {
    // for example a process that ran out of memory
    return { failed: err instanceof Error ? err.message : String(err) }
  }
}

function toRow (side: string, size: number, measured: readonly Measured[]): Row {
  const good = measured.flatMap(outcome => 'failed' in outcome ? [] : [outcome])
  const failures = measured.flatMap(outcome => 'failed' in outcome ? [outcome.failed] : [])
  const failed = failures.length === 0 ? '' : `${failures.length} of ${measured.length}: ${failures[0]}`

  if (good.length === 0) {
    return { MB: size / MB, side, failed }
  }

  const peaks = (what: 'added' | 'read'): number[] => good.map(outcome => outcome[what].peak / MB)
  const seconds = (what: 'added' | 'read'): number => median(good.map(outcome => outcome[what].walls[0] / 1000))

  return {
    MB: size / MB,
    side,
    'before, MB': rounded(median(good.map(({ added }) => added.base / MB))),
    'add, MB': rounded(median(peaks('added'))),
    'add, spread': spread(peaks('added')),
    'cat, MB': rounded(median(peaks('read'))),
    'cat, spread': spread(peaks('read')),
    'add, s': rounded(seconds('added')),
    'cat, s': rounded(seconds('read')),
    failed,
    CID: good[0].added.cid
  }
}

/** A row of reading with `transient` what the default side added. */
function transientRows (size: number, measured: readonly Measured[]): Row[] {
  const reads = measured.flatMap(outcome => 'failed' in outcome || outcome.transient == null ? [] : [outcome.transient])

  return reads.length === 0 ? [] : [{
    MB: size / MB,
    side: TRANSIENT,
    'before, MB': rounded(median(reads.map(({ base }) => base / MB))),
    'cat, MB': rounded(median(reads.map(({ peak }) => peak / MB))),
    'cat, spread': spread(reads.map(({ peak }) => peak / MB)),
    'cat, s': rounded(median(reads.map(({ walls }) => walls[0] / 1000)))
  }]
}
