import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { NoInputError, progress, rotate } from './benchmark.ts'
import { versions } from './support/machine.ts'
import { startClients } from './support/site/clients.ts'
import { joinTables, NOT_MEASURED } from './support/site/join.ts'
import { PLANS, SMOKE } from './support/site/plans.ts'
import { SIDES } from './support/site/sides.ts'
import { storedSizeOf } from './support/site/stored-size.ts'
import { toRows } from './support/site/to-rows.ts'
import { measureIdle, runKilled, runTrial, warmUp } from './support/site/trial.ts'
import { startWan } from './support/site/wan.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, BenchmarkOptions, Row, Table } from './benchmark.ts'
import type { Clients } from './support/site/clients.ts'
import type { Plan } from './support/site/plans.ts'
import type { Side } from './support/site/side.ts'
import type { Measured, Objects } from './support/site/trial.ts'
import type { Wan } from './support/site/wan.ts'

/** Round trips of the paper, in milliseconds: from the client to its site, and in a site. */
const CLIENT = 10
const LAN = 0.5

/** Between the seeds of trials. */
const TRIAL = 1_000_000

/** What one side did with one kind of object, in all rounds. */
type Results = Map<Side, Map<Objects, Measured[]>>

interface Place {
  wan: Wan
  clients: Clients
  directory: string
  round: number
}

export const benchmark: Benchmark = {
  question: 'how long nodes of a site that share one store take to write and read objects, and how many bytes pass ' +
    'between sites, beside nodes with stores of their own',
  inputs: [],
  plans: Object.keys(PLANS),
  sides: SIDES.map(({ id }) => id),

  async run (options) {
    const plan = options.smoke ? SMOKE : PLANS[options.plan ?? Object.keys(PLANS)[0]]
    const missing: Row[] = []
    const sides: Side[] = []
    const day = new Date().toISOString().slice(0, 10)

    for (const side of chooseSides(plan, options)) {
      const advice = await side.missing()

      if (advice == null) {
        sides.push(side)
      } else {
        progress(`${side.name}: ${advice}`)
        missing.push({ side: side.name, 'to measure it': advice, measured: day })
      }
    }

    if (sides.length === 0) {
      throw new NoInputError(`site has nothing to measure: ${missing.map(row => row['to measure it']).join('; ')}`)
    }

    const tables = await measurePlan(plan, sides, day)

    return missing.length === 0 ? tables : [...tables, { title: NOT_MEASURED, rows: missing }]
  },

  join: (earlier, later) => joinTables(earlier, later, SIDES.map(({ name }) => name))
}

function chooseSides ({ sides }: Plan, { only }: Pick<BenchmarkOptions, 'only'>): Side[] {
  const chosen = only ?? sides

  return SIDES.filter(({ id }) => chosen == null || chosen.includes(id))
}

async function measurePlan (plan: Plan, sides: readonly Side[], day: string): Promise<Table[]> {
  const { sites, nodes, delay, rounds } = plan
  const results: Results = new Map(sides.map(side => [side, new Map()]))
  const wan = await startWan({ sites, nodes, delays: { sites: delay, client: CLIENT, lan: LAN } })
  const clients = startClients(wan, sites)

  try {
    await withDirectory(async directory => {
      for (let round = 0; round < rounds; round++) {
        for (const side of rotate(sides, round)) {
          progress(`${delay} ms, round ${round + 1} of ${rounds}: ${side.name}`)
          await measureSide(side, plan, { wan, clients, directory: join(directory, 'side'), round }, results)
        }
      }
    })
  } finally {
    await clients.close()
    await wan.close()
  }

  return toTables(plan, results, day)
}

async function measureSide (side: Side, plan: Plan, place: Place, results: Results): Promise<void> {
  const { sites, nodes, objects: all, start, settle } = plan
  const { wan, clients, directory, round } = place
  await mkdir(directory)
  const running = await side.start({ wan, sites, nodes, directory })

  try {
    await setTimeout(start)
    const idle = await measureIdle(wan, start / 2)
    const trial = { wan, clients, side, running, sites, nodes, objects: all[0], idle, settle, seed: 0 }
    const add = (objects: Objects, measured: readonly Measured[]): void => {
      const ofSide = results.get(side)
      ofSide?.set(objects, [...ofSide.get(objects) ?? [], ...measured])
    }

    await warmUp(trial, plan.warmUp)

    for (const [i, objects] of all.entries()) {
      add(objects, await runTrial({ ...trial, objects, seed: (round * all.length + i + 1) * TRIAL }))
    }

    // nothing else is measured with the storage in that state
    if (running.killStorage != null && round === plan.rounds - 1) {
      add(all[0], await runKilled({ ...trial, seed: (round + 1) * all.length * TRIAL }))
    }
  } finally {
    await running.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function toTables (plan: Plan, results: Results, day: string): Promise<Table[]> {
  const tables: Table[] = []
  const known = versions()

  for (const atATime of new Set(plan.objects.map(objects => objects.atATime))) {
    const rows: Row[] = []

    for (const [side, ofSide] of results) {
      const software = (await side.software()).map(name => known[name] == null ? name : `${name} ${known[name]}`)
      const when = [day, ...software].join(', ')

      for (const [objects, measured] of ofSide) {
        if (objects.atATime === atATime) {
          rows.push(...toRows({
            side, objects, measured, when, storedSize: await storedSizeOf(objects, side.compressed)
          }))
        }
      }
    }

    tables.push({ title: titleOf(plan, atATime), rows })
  }

  return tables
}

function titleOf ({ sites, nodes, delay }: Plan, atATime: number): string {
  const what = atATime === 1
    ? 'One object at a time, as where each node has a machine of its own'
    : `${atATime} objects in each site at a time, by nodes that share the processors of one machine`

  return `${what}: ${sites} sites of ${nodes} nodes, ${delay} ms between sites, ${CLIENT} ms to the client, ` +
    `${LAN} ms in a site`
}
