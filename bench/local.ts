import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rounded, spread } from './benchmark.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { addAndRead, KUBO_LINES, OWN_LINES, RESTIC_LINES } from './support/command-lines.ts'
import { DEFAULT, PLAIN, TRANSIENT } from './support/file-systems.ts'
import { commandEnvironment } from './support/run-command.ts'
import { createRepo, environment, hasKubo } from './support/kubo.ts'
import { createRepository, hasRestic, RESTIC } from './support/restic.ts'
import { runTask } from './support/task.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Corpus } from './support/corpus.ts'
import type { StoreKind, Task } from './support/task.ts'

const MB = 1e6

interface Size {
  size: number
  rounds: number
  /** How often in each process: short times vary too much, and the first one includes compiling the code. */
  times: number
  /** The stores, and the sides that are compared on each. */
  stores: Partial<Record<StoreKind, string[]>>
}

const ALL = [PLAIN, DEFAULT, 'ipfsz, zstd 1', 'ipfsz, lz4', 'ipfsz, gzip 6']
const TWO = [PLAIN, DEFAULT]

const SIZES: readonly Size[] = [
  { size: MB, rounds: 2, times: 10, stores: { fs: ALL, level: TWO, memory: TWO } },
  { size: 100 * MB, rounds: 3, times: 1, stores: { fs: ALL, level: TWO, memory: TWO } },
  { size: 1000 * MB, rounds: 1, times: 1, stores: { fs: TWO, level: TWO, memory: TWO } }
]

const SMOKE: readonly Size[] = [
  { size: MB, rounds: 1, times: 1, stores: { fs: TWO, level: TWO, memory: TWO } }
]

/** The stores of commands, which are compared with plain Helia on files. */
const STORE_OF_KUBO = 'flatfs'
const STORE_OF_COMMAND = 'repo'
const STORE_OF_RESTIC = 'repository'
const STORES_OF_COMMANDS = [STORE_OF_KUBO, STORE_OF_COMMAND, STORE_OF_RESTIC]

/** Notes on the figures. */
const ABOUT = 'Times of Kubo, restic and the command include the start of the process. Peak MB is the resident ' +
  'memory of the whole process, or of `ipfs` if it is piped; reading from memory has none, because the same process ' +
  'fills the store. Reads come from the system\'s cache: the files were written just before. Files ' +
  'of 1 MB are added and read ten times by each process, and the first time does not count. The side `transient` ' +
  'reads what zstd 3 added, with the option of `cat` for callers that keep no bytes'

/** What one process measured. */
interface Measured {
  store: string
  side: string
  action: Task['action']
  /** Milliseconds of each run. */
  walls: number[]
  cpus: number[]
  peak: number
  cid: string
}

export const benchmark: Benchmark = {
  question: 'how long adding and reading a file takes, and how much processor time and memory, beside plain Helia, ' +
    'Kubo and restic',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const tools = { kubo: await hasKubo(), restic: await hasRestic() }
      const rows: Row[] = []

      for (const size of options.smoke ? SMOKE : SIZES) {
        const measured = await compare(corpus, await fileOfSize(corpus, mixed, size.size), size, tools)
        rows.push(...toRows(size, measured))
      }

      return [{ title: `Files of ${mixed.name} (${corpus.source}). ${ABOUT}`, rows }]
    })
  }
}

async function compare (
  corpus: Corpus,
  file: string,
  { size, rounds, times, stores }: Size,
  { kubo, restic }: { kubo: boolean, restic: boolean }
): Promise<Measured[]> {
  const measured: Measured[] = []

  // every side once in each round, so that other load on the machine affects all of them
  for (let round = 0; round < rounds; round++) {
    progress(`${size / MB} MB, round ${round + 1} of ${rounds}`)

    for (const [store, sides] of Object.entries(stores) as Array<[StoreKind, string[]]>) {
      for (const side of sides) {
        const directory = join(corpus.directory, 'store')
        const task = { files: side, store, directory, file, size, times }

        await mkdir(directory)
        const added = await runTask({ ...task, action: 'add' })
        measured.push({ ...added, store, side, action: 'add' })

        for (const reader of side === DEFAULT ? [side, TRANSIENT] : [side]) {
          const read = await runTask({ ...task, files: reader, action: 'cat', cid: added.cid })
          measured.push({ ...read, store, side: reader, action: 'cat' })
        }

        await rm(directory, { recursive: true })
      }
    }

    for (const side of kubo ? Object.keys(KUBO_LINES) : []) {
      const repo = join(corpus.directory, 'kubo')
      await createRepo(repo)
      const both = await addAndRead(KUBO_LINES[side], file, repo, environment(repo))
      measured.push(...both.map(outcome => ({ ...outcome, store: STORE_OF_KUBO, side })))
    }

    for (const [side, commands] of Object.entries(OWN_LINES)) {
      const repo = join(corpus.directory, 'repo')
      const both = await addAndRead(commands, file, repo, commandEnvironment(repo, corpus.directory))
      measured.push(...both.map(outcome => ({ ...outcome, store: STORE_OF_COMMAND, side })))
    }

    if (restic) {
      const repository = join(corpus.directory, 'restic')
      const both = await addAndRead(RESTIC_LINES, file, repository, await createRepository(repository))
      measured.push(...both.map(outcome => ({ ...outcome, store: STORE_OF_RESTIC, side: RESTIC })))
    }
  }

  return measured
}

function toRows ({ size }: Size, measured: readonly Measured[]): Row[] {
  const groups = Map.groupBy(measured, ({ action, store, side }) => `${action}\n${store}\n${side}`)

  return Array.from(groups, ([key, group]) => {
    const [action, store, side] = key.split('\n')
    const isCommand = STORES_OF_COMMANDS.includes(store)
    const walls = warm(group.map(({ walls }) => walls))
    const plain = warm((groups.get(`${action}\n${isCommand ? 'fs' : store}\n${PLAIN}`) ?? []).map(({ walls }) => walls))

    return {
      MB: size / MB,
      store,
      what: action,
      side,
      'MB/s': rounded(size / MB / median(walls) * 1000),
      'times as fast': rounded(median(plain) / median(walls)),
      'ms, median': rounded(median(walls)),
      'ms, spread': spread(walls),
      'CPU ms': rounded(median(warm(group.map(({ cpus }) => cpus)))),
      'peak MB': action === 'cat' && store === 'memory' ? '-' : rounded(median(group.map(({ peak }) => peak)) / MB),
      runs: walls.length
    }
  }).toSorted((a, b) => a.what.localeCompare(b.what))
}

/** The times without the first one of each process, if a process has several. */
function warm (processes: ReadonlyArray<readonly number[]>): number[] {
  return processes.flatMap(times => times.length > 1 ? times.slice(1) : times)
}
