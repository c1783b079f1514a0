import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../test/support/tools.ts'
import { median, progress, rotate, rounded, spread } from './benchmark.ts'
import { GENERATORS } from './support/generate.ts'
import { createRepo, environment, hasKubo } from './support/kubo.ts'
import { createRepository, hasRestic, RESTIC } from './support/restic.ts'
import { childrenCpu, commandEnvironment } from './support/run-command.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/ipfsz.js', import.meta.url))

/** Bytes in the file: the start takes longer than the work. */
const SIZE = 15_000

/** A command line that is started again and again. */
interface Start {
  what: 'start' | 'add' | 'cat'
  side: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
}

export const benchmark: Benchmark = {
  question: `how long the command takes to start, and to add and read a file of ${SIZE / 1000} kB, beside Kubo ` +
    'without a daemon and a Node that does nothing',
  inputs: [],

  async run ({ smoke }) {
    return withDirectory(async directory => {
      const file = join(directory, 'prose.txt')
      await writeFile(file, GENERATORS['prose.txt'](SIZE))

      const starts: Start[] = [
        { what: 'start', side: 'node -e 0', command: process.execPath, args: ['-e', '0'] },
        ...await ownStarts(file, directory),
        ...await hasKubo() ? await kuboStarts(file, directory) : [],
        ...await hasRestic() ? await resticStarts(file, directory) : []
      ]

      return measureStarts(starts, smoke ? 1 : 30)
    })
  }
}

async function ownStarts (file: string, directory: string): Promise<Start[]> {
  const side = 'ipfsz'
  const command = process.execPath
  const env = commandEnvironment(join(directory, 'ipfsz'), directory)
  const cid = String(await run(command, [COMMAND, 'add', '-Q', file], undefined, env)).trim()
  const add: Start = { what: 'add', side, command, args: [COMMAND, 'add', '-Q', file], env }

  return [
    { what: 'start', side, command, args: [COMMAND, '--version'], env },
    add,
    { ...add, side: 'ipfsz, code not cached', env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } },
    { what: 'cat', side, command, args: [COMMAND, 'cat', cid], env }
  ]
}

async function kuboStarts (file: string, directory: string): Promise<Start[]> {
  const [side, command] = ['Kubo', 'ipfs']
  const repo = join(directory, 'kubo')
  await createRepo(repo)

  const env = environment(repo)
  const cid = String(await run(command, ['--offline', 'add', '-Q', file], undefined, env)).trim()

  return [
    { what: 'start', side, command, args: ['--offline', 'version'], env },
    { what: 'add', side, command, args: ['--offline', 'add', '-Q', file], env },
    { what: 'cat', side, command, args: ['--offline', 'cat', cid], env }
  ]
}

async function resticStarts (file: string, directory: string): Promise<Start[]> {
  const [side, command] = [RESTIC, 'restic']
  const env = await createRepository(join(directory, 'restic'))
  const backup = ['backup', '-q', file]
  await run(command, backup, undefined, env)

  return [
    { what: 'start', side, command, args: ['version'], env },
    { what: 'add', side, command, args: backup, env },
    { what: 'cat', side, command, args: ['dump', '-q', 'latest', file], env }
  ]
}

async function measureStarts (starts: readonly Start[], rounds: number): Promise<Row[]> {
  const measured = new Map(starts.map(start => [start, { walls: new Array<number>(), cpu: 0 }]))

  // the round before the first one fills caches
  for (let round = 0; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`)

    for (const start of rotate(starts, round)) {
      const { wall, cpu } = await measureStart(start)
      const sums = measured.get(start)

      if (round > 0 && sums != null) {
        sums.walls.push(wall)
        sums.cpu += cpu
      }
    }
  }

  return starts.map(start => {
    const { what, side } = start
    const [own, theirs] = [start, starts.find(other => other.what === what && other.side === 'Kubo')]
      .map(start => start == null ? undefined : measured.get(start))
    const { walls = [], cpu = 0 } = own ?? {}

    return {
      what,
      side,
      ...theirs == null ? {} : { 'times Kubo\'s time': rounded(median(walls) / median(theirs.walls)) },
      'ms, median': rounded(median(walls)),
      'ms, spread': spread(walls),
      'processor ms, mean': rounded(cpu / rounds),
      runs: rounds
    }
  })
}

async function measureStart ({ command, args, env }: Start): Promise<{ wall: number, cpu: number }> {
  const cpu = childrenCpu()
  const start = performance.now()
  await run(command, args, undefined, env)

  return { wall: performance.now() - start, cpu: childrenCpu() - cpu }
}
