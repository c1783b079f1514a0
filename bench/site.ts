import { join } from 'node:path'
import { NoInputError, progress, rotate } from './benchmark.ts'
import { versions } from './support/machine.ts'
import { FAILED, joinTables, NOT_MEASURED } from './support/site/join.ts'
import { CLIENT, LAN } from './support/site/measure-side.ts'
import { planOf, PLANS } from './support/site/plans.ts'
import { againIfItHangs, runSide } from './support/site/run-side.ts'
import { Schedule } from './support/site/schedule.ts'
import { SIDES } from './support/site/sides.ts'
import { storedSizeOf } from './support/site/stored-size.ts'
import { toRows } from './support/site/to-rows.ts'
import { checkMachine } from './support/site/wan.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, BenchmarkOptions, Row, Table } from './benchmark.ts'
import type { Plan } from './support/site/plans.ts'
import type { Side } from './support/site/side.ts'
import type { Measured, Objects } from './support/site/trial.ts'

/** What one side did with one kind of object, in all rounds. */
type Results = Map<Side, Map<Objects, Measured[]>>

/** Why sides were not measured to the end. */
type Failures = Map<Side, Error>

export const benchmark: Benchmark = {
  question: 'how long nodes of a site that share one store take to write and read objects, and how many bytes pass ' +
    'between sites, beside nodes with stores of their own. A client writes through the API of a node, or by a ' +
    'command on its host (`ipfs add`, `ipfsz add`), which pins too. What ipfsz acknowledges survives a power cut; ' +
    'Kubo syncs its records, and no blocks by default. Bare writes are those of a program that writes what it gets ' +
    'as files of a MiB, syncs them, and does nothing else',
  inputs: [],
  plans: Object.keys(PLANS),
  sides: SIDES.map(({ id }) => id),

  async run (options) {
    checkMachine()
    const plan = planOf(options)
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

    const results: Results = new Map(sides.map(side => [side, new Map()]))
    const failures = await measurePlan(plan, sides, results)
    const failed = [...failures].map(([side, { message }]) => ({ side: side.name, why: message, measured: day }))

    if (failed.length > 0) {
      process.exitCode = 1
    }

    return [
      ...await toTables(plan, results, day), { title: FAILED, rows: failed }, { title: NOT_MEASURED, rows: missing }
    ].filter(({ rows }) => rows.length > 0)
  },

  join: (earlier, later) => joinTables(earlier, later, SIDES.map(({ name }) => name))
}

function chooseSides ({ sides }: Plan, { only }: Pick<BenchmarkOptions, 'only'>): Side[] {
  const chosen = only ?? sides

  return SIDES.filter(({ id }) => chosen == null || chosen.includes(id))
}

/** A side that fails, or hangs twice, is not measured again, and the others are. */
async function measurePlan (plan: Plan, sides: readonly Side[], results: Results): Promise<Failures> {
  const failures: Failures = new Map()
  const schedule = new Schedule(plan, sides)
  progress(schedule.announce())

  await withDirectory(async directory => {
    for (let round = 0; round < plan.rounds; round++) {
      for (const side of rotate(sides, round).filter(one => !failures.has(one))) {
        progress(`${plan.delay} ms, round ${round + 1} of ${plan.rounds}: ${side.name}`)
        const task = { id: side.id, plan, round, directory: join(directory, `${round}-${sides.indexOf(side)}`) }

        try {
          await againIfItHangs(async () => runSide(task, schedule.timeout(side), (i, measured) => {
            const ofSide = results.get(side)
            ofSide?.set(plan.objects[i], [...ofSide.get(plan.objects[i]) ?? [], ...measured])
          }))
        } catch (err) {
          failures.set(side, err as Error)
          progress(`${side.name}: ${(err as Error).message}`)
        }

        progress(schedule.done(side, failures.has(side)))
      }
    }
  })

  return failures
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
