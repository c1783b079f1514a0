import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { progress, rounded } from './benchmark.ts'
import { addAndRead, KUBO, KUBO_LINES, OWN_LINES, RESTIC_LINES } from './support/command-lines.ts'
import { fileOfSize, mixedFile, withCorpus } from './support/corpus.ts'
import { COMMAND, DEFAULT, PLAIN, TRANSIENT } from './support/file-systems.ts'
import { createRepo, environment, hasKubo } from './support/kubo.ts'
import { createRepository, hasRestic, RESTIC } from './support/restic.ts'
import { commandEnvironment } from './support/run-command.ts'
import { runTask } from './support/task.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { CommandLines } from './support/command-lines.ts'
import type { Outcome } from './support/task.ts'

const MB = 1e6

/**
 * No size from 2 to 4 GiB: protons-runtime 8.0.1 writes such numbers of a UnixFS message wrongly,
 * with bytes that were in memory before, so plain Helia cannot read what it added.
 */
const SIZES = [10 * MB, 100 * MB, 1000 * MB, 4300 * MB]
const SMOKE = [MB, 5 * MB]
/** Commands read the file from disk. */
const MAX_COMMANDS = 1000 * MB
const ABOUT = 'Before it begins, a process of the library has its imports in memory: Node, Helia, and what strips ' +
  'the types of the benchmark'

/** A command, and what makes its repo. */
interface Command {
  side: string
  lines: CommandLines
  open (repo: string): Promise<NodeJS.ProcessEnv>
}

export const benchmark: Benchmark = {
  question: 'whether memory depends on the size of a file: the peak resident memory of a process that adds or reads ' +
    'it, beside plain Helia, Kubo and restic',
  inputs: ['corpus', 'file'],

  async run (options) {
    return withCorpus(options, async corpus => {
      const mixed = await mixedFile(corpus, options)
      const installed = await commands(corpus.directory)
      const rows: Row[] = []

      for (const size of options.smoke ? SMOKE : SIZES) {
        for (const side of [PLAIN, DEFAULT]) {
          progress(`${size / MB} MB, ${side}`)
          const directory = join(corpus.directory, 'store')
          await mkdir(directory)
          rows.push(...await measureSide(side, size, mixed.path, directory))
          await rm(directory, { recursive: true })
        }

        if (size <= MAX_COMMANDS) {
          const file = await fileOfSize(corpus, mixed, size)

          for (const { side, lines, open } of installed) {
            progress(`${size / MB} MB, ${side}`)
            const repo = join(corpus.directory, 'repo')
            const [add, cat] = await addAndRead(lines, file, repo, await open(repo))
            rows.push(toRow(side, size, { add, cat }))
          }

          await rm(file)
        }
      }

      return [
        { title: `${mixed.name} repeated, on an FsBlockstore (${corpus.source}). ${ABOUT}`, rows }
      ]
    })
  }
}

async function commands (home: string): Promise<Command[]> {
  const all: Array<Command & { isInstalled: boolean }> = [
    {
      side: COMMAND,
      lines: OWN_LINES[COMMAND],
      isInstalled: true,
      open: async repo => commandEnvironment(repo, home)
    },
    {
      side: KUBO,
      lines: KUBO_LINES[KUBO],
      isInstalled: await hasKubo(),
      open: async repo => createRepo(repo).then(() => environment(repo))
    },
    { side: RESTIC, lines: RESTIC_LINES, isInstalled: await hasRestic(), open: createRepository }
  ]

  return all.filter(({ isInstalled }) => isInstalled)
}

async function measureSide (side: string, size: number, file: string, directory: string): Promise<Row[]> {
  const task = { files: side, store: 'fs' as const, directory, file, size, times: 1 }

  try {
    const add = await runTask({ ...task, action: 'add' })
    const read = { ...task, action: 'cat', cid: add.cid } as const
    const rows = [toRow(side, size, { add, cat: await runTask(read) })]

    return side === DEFAULT
      ? [...rows, toRow(TRANSIENT, size, { cat: await runTask({ ...read, files: TRANSIENT }) })]
      : rows
  } catch (err) {
    // for example a process that ran out of memory
    return [{ MB: size / MB, side, failed: err instanceof Error ? err.message : String(err) }]
  }
}

type Measured = Pick<Outcome, 'peak' | 'walls'> & Partial<Outcome>

function toRow (side: string, size: number, { add, cat }: { add?: Measured, cat: Measured }): Row {
  const { base } = add ?? cat

  return {
    MB: size / MB,
    side,
    ...base == null ? {} : { 'before, MB': rounded(base / MB) },
    ...add == null ? {} : { 'add, MB': rounded(add.peak / MB) },
    'cat, MB': rounded(cat.peak / MB),
    ...add == null ? {} : { 'add, s': rounded(add.walls[0] / 1000) },
    'cat, s': rounded(cat.walls[0] / 1000)
  }
}
