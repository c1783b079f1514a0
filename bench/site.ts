import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { median, NoInputError, progress, rotate, rounded, sum } from './benchmark.ts'
import { hasKubo } from './support/kubo.ts'
import { startClients } from './support/site/clients.ts'
import { DAEMON_SIDE, S3_DAEMON_SIDE } from './support/site/daemon-sides.ts'
import { HELIA_SIDES, S3_SIDE } from './support/site/helia-sides.ts'
import { KUBO_SIDES } from './support/site/kubo-sides.ts'
import { hasS3 } from './support/site/s3-server.ts'
import { measureIdle, PHASES, runTrial } from './support/site/trial.ts'
import { startWan } from './support/site/wan.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row, Table } from './benchmark.ts'
import type { Clients } from './support/site/clients.ts'
import type { Side } from './support/site/side.ts'
import type { Measured, Objects } from './support/site/trial.ts'
import type { Wan } from './support/site/wan.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Round trips of the paper, in milliseconds: from the client to its site, and in a site. */
const CLIENT = 10
const LAN = 0.5

/** How many objects a site writes and reads at a time. */
const COUNT = 10

interface Plan {
  sites: number
  nodes: number
  /** Round trips between sites, in milliseconds. */
  delay: number
  rounds: number
  sides: readonly Side[]
  objects: readonly Objects[]
  /** How long nodes may find each other before anything is measured, and after each write, in milliseconds. */
  start: number
  settle: number
}

/** What one side did with one kind of object, in all rounds. */
type Results = Map<Side, Map<Objects, Measured[]>>

export const benchmark: Benchmark = {
  question: 'how long nodes of a site that share one store take to write and read objects, and how many bytes pass ' +
    'between sites, beside nodes with stores of their own',
  inputs: [],

  async run ({ smoke }) {
    const sides = [
      ...await hasKubo() ? KUBO_SIDES : [],
      ...HELIA_SIDES,
      DAEMON_SIDE,
      ...hasS3() ? [S3_SIDE, S3_DAEMON_SIDE] : []
    ]
    const tables: Table[] = []

    for (const plan of smoke ? [smokePlan(sides)] : plans(sides)) {
      tables.push({
        title: `${plan.sites} sites of ${plan.nodes} nodes, ${plan.delay} ms between sites, ${CLIENT} ms to the ` +
          `client, ${LAN} ms in a site; ${plan.objects[0].count} objects in each site at a time, ${plan.rounds} rounds`,
        rows: await measurePlan(plan)
      })
    }

    return tables
  }
}

/** The first and the last side, to check that everything runs. */
function smokePlan (sides: readonly Side[]): Plan {
  return {
    sites: 2,
    nodes: 1,
    delay: 20,
    rounds: 1,
    sides: [sides[0], sides[sides.length - 1]],
    objects: [{ size: 64 * KIB, compressible: true, count: 2 }],
    start: 200,
    settle: 0
  }
}

function plans (sides: readonly Side[]): Plan[] {
  const sizes = [256 * KIB, MIB, 10 * MIB]
  const objects = sizes.flatMap(size => [true, false].map(compressible => ({ size, compressible, count: COUNT })))
  const plan = { sites: 3, nodes: 2, sides, start: 10_000, settle: 1000 }

  return [
    { ...plan, delay: 50, rounds: 3, objects },
    ...[100, 200].map(delay => ({ ...plan, delay, rounds: 1, objects: objects.slice(0, 2) }))
  ]
}

async function measurePlan (plan: Plan): Promise<Row[]> {
  const { sites, nodes, delay, rounds, sides } = plan
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

  return sides.flatMap(side => plan.objects.flatMap(objects =>
    PHASES.flatMap(phase => toRow(side, objects, phase, results.get(side)?.get(objects) ?? []))))
}

async function measureSide (
  side: Side,
  { sites, nodes, objects: all, start, settle }: Plan,
  { wan, clients, directory, round }: { wan: Wan, clients: Clients, directory: string, round: number },
  results: Results
): Promise<void> {
  await mkdir(directory)
  const running = await side.start({ wan, sites, nodes, directory })

  try {
    await setTimeout(start)
    const idle = await measureIdle(wan, start / 2)

    for (const [i, objects] of all.entries()) {
      const seed = round * all.length + i
      const measured = await runTrial(
        { wan, clients, side, running, sites, nodes, objects, seed, idle, settle }
      )
      const ofSide = results.get(side)

      ofSide?.set(objects, [...ofSide.get(objects) ?? [], ...measured])
    }
  } finally {
    await running.close()
    await rm(directory, { recursive: true })
  }
}

function toRow (side: Side, objects: Objects, phase: Measured['phase'], all: readonly Measured[]): Row[] {
  const measured = all.filter(one => one.phase === phase)
  const outcomes = measured.flatMap(one => one.outcomes)
  const failures = outcomes.flatMap(({ failure }) => failure == null ? [] : [failure])
  const seconds = outcomes.filter(({ failure }) => failure == null).map(({ wall }) => wall / 1000)

  if (outcomes.length === 0) {
    return []
  }

  if (seconds.length === 0 && phase === 'write') {
    throw new NoInputError(`${side.name} could write nothing: ${failures[0]}`)
  }

  return [{
    side: side.name,
    object: `${objects.size / KIB} KiB ${objects.compressible ? 'of text' : 'of noise'}`,
    phase,
    'seconds, median': seconds.length === 0 ? '-' : rounded(median(seconds)),
    slowest: seconds.length === 0 ? '-' : rounded(Math.max(...seconds)),
    'MB between sites, of 100 objects': rounded(sum(measured.map(({ bytes }) => bytes)) / outcomes.length * 100 / 1e6),
    failed: failures.length === 0 ? '' : `${failures.length} of ${outcomes.length}: ${failures[0]}`
  }]
}
