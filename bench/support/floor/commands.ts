import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median, progress, rotate, rounded, spread } from '../../benchmark.ts'
import { KUBO, KUBO_LINES, KUBO_PIPED, NODE, OWN_LINES, quote } from '../command-lines.ts'
import { createRepo, environment, hasKubo } from '../kubo.ts'
import { commandEnvironment, runCommand } from '../run-command.ts'
import { COMMAND } from '../file-systems.ts'
import { FLOOR } from './names.ts'
import type { Row } from '../../benchmark.ts'
import type { CommandLines } from '../command-lines.ts'
import type { CommandOutcome } from '../run-command.ts'

const MB = 1e6

const ACTIONS = ['add', 'cat'] as const
type Action = typeof ACTIONS[number]

/** A file to add and read. */
export interface CommandPlan {
  file: string
  /** Its bytes. */
  size: number
  rounds: number
}

interface Side {
  /** With FILE, CID and DIRECTORY, where its repo is. */
  lines: CommandLines
  /** Make what an add needs in an empty directory. */
  prepare (directory: string): Promise<void>
  env (directory: string): NodeJS.ProcessEnv
}

type Measured = Map<string, CommandOutcome[]>

/**
 * Add and read files by commands, each time in a new process and a new repo, beside a bare Node program that does
 * nothing but what cannot be left out. It and `ipfsz add` sync what they add, and Kubo does not.
 *
 * @param directory - for repos
 */
export async function compareCommands (plans: readonly CommandPlan[], directory: string): Promise<Row[]> {
  const sides = await sidesIn(directory)
  const rows: Row[] = []

  for (const { file, size, rounds } of plans) {
    const measured = await measure(sides, file, join(directory, 'store'), rounds, size / MB)

    for (const action of ACTIONS) {
      rows.push(...toRows(action, size, new Map(Object.keys(sides).map(side => [
        side,
        measured.get(`${action} ${side}`) ?? []
      ]))))
    }
  }

  return rows
}

async function sidesIn (directory: string): Promise<Record<string, Side>> {
  const program = `${NODE} ${quote(join(import.meta.dirname, 'program.cjs'))}`
  const sides: Record<string, Side> = {
    [COMMAND]: {
      lines: OWN_LINES[COMMAND],
      prepare: async () => {},
      env: repo => commandEnvironment(repo, directory)
    },
    [FLOOR]: {
      lines: { add: `${program} add FILE DIRECTORY`, cat: `${program} cat DIRECTORY` },
      prepare: async () => {},
      env: () => process.env
    }
  }

  if (!await hasKubo()) {
    return sides
  }

  // made once: to make a repo takes longer than to add a small file
  const empty = join(directory, 'kubo')
  await createRepo(empty)

  const prepare = async (repo: string): Promise<void> => cp(empty, repo, { recursive: true })

  for (const [side, lines] of Object.entries(KUBO_LINES)) {
    sides[side] = { lines, prepare, env: environment }
  }

  return sides
}

async function measure (
  sides: Readonly<Record<string, Side>>,
  file: string,
  directory: string,
  rounds: number,
  megabytes: number
): Promise<Measured> {
  const measured: Measured = new Map()
  const keep = (key: string, outcome: CommandOutcome): void => {
    measured.set(key, [...measured.get(key) ?? [], outcome])
  }

  // the first round fills caches
  for (let round = 0; round <= rounds; round++) {
    progress(`commands, ${megabytes} MB, round ${round} of ${rounds}`)

    for (const [name, side] of rotate(Object.entries(sides), round)) {
      await mkdir(directory)
      await side.prepare(directory)
      const env = side.env(directory)
      // nobody waits for what another one has written
      await runCommand('sync', env)
      const [add, cat] = ACTIONS.map(action => side.lines[action].replace('DIRECTORY', quote(directory)))
      const added = await runCommand(add.replace('FILE', quote(file)), env)
      const read = await runCommand(`${cat.replace('CID', added.stdout)} > /dev/null`, env)
      await rm(directory, { recursive: true })

      if (round > 0) {
        keep(`add ${name}`, added)
        keep(`cat ${name}`, read)
      }
    }
  }

  return measured
}

function toRows (action: Action, size: number, measured: ReadonlyMap<string, readonly CommandOutcome[]>): Row[] {
  const of = (side: string, value: 'wall' | 'cpu' | 'peak'): number =>
    median((measured.get(side) ?? []).map(outcome => outcome[value]))

  return Array.from(measured, ([side, outcomes]) => ({
    what: action,
    MB: size / MB,
    side,
    'MB/s': rounded(size / 1000 / of(side, 'wall')),
    'ms, median': rounded(of(side, 'wall')),
    'ms, spread': spread(outcomes.map(({ wall }) => wall)),
    'CPU ms': rounded(of(side, 'cpu')),
    'peak MB': rounded(of(side, 'peak') / MB),
    'share of the floor': rounded(of(FLOOR, 'wall') / of(side, 'wall')),
    ...measured.has(KUBO) ? {
      'times Kubo\'s speed': rounded(of(KUBO, 'wall') / of(side, 'wall')),
      'CPU, times Kubo\'s with zstd': rounded(of(side, 'cpu') / of(KUBO_PIPED, 'cpu'))
    } : {}
  }))
}
