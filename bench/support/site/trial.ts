import { setTimeout } from 'node:timers/promises'
import { addressOf } from './wan.ts'
import type { Clients } from './clients.ts'
import type { Job, Outcome, SiteObject } from './messages.ts'
import type { RunningSide, Side } from './side.ts'
import type { Wan } from './wan.ts'

/** How long an object may take, in milliseconds. */
const TIMEOUT = 60_000

/** What is written and read. */
export interface Objects {
  /** Bytes of each. */
  size: number
  compressible: boolean
  /** In each site. All are written, and read, at a time. */
  count: number
}

export interface Trial {
  wan: Wan
  clients: Clients
  side: Side
  running: RunningSide
  sites: number
  nodes: number
  objects: Objects
  /** Different in each trial. */
  seed: number
  /** Bytes between sites while nothing is asked, in each millisecond. */
  idle: number
  /** How long to wait after a write, in milliseconds: nodes tell each other what they have. */
  settle: number
}

/** The steps, in order. Their names are those of the table. */
export const PHASES = [
  'write', 'read in the site', 'read from another site', 'read again', 'read while cut off'
] as const

export interface Measured {
  phase: typeof PHASES[number]
  outcomes: Outcome[]
  /** Bytes between sites, without those of idle nodes. */
  bytes: number
}

/** The node for an object in each phase, by its number. */
type Choose = (number: number) => number

/**
 * Write objects in all sites at the same time, read them there, read those of the first site in the second one, twice,
 * and read others in the first one while it is cut off.
 */
export async function runTrial (trial: Trial): Promise<Measured[]> {
  const { wan, sites, nodes, objects } = trial
  const all = Array.from({ length: sites }, (_, i) => i + 1)
  const writer: Choose = number => number % nodes + 1
  // half by the node that wrote it, half by the next one
  const reader: Choose = number => (number + Math.floor(number / nodes) % 2) % nodes + 1
  const next: Choose = number => (reader(number) % nodes) + 1

  const measured: Measured[] = []
  const phase = async (name: Measured['phase'], jobs: Array<() => Promise<Outcome[]>>): Promise<Outcome[][]> => {
    const before = (await wan.traffic()).betweenSites
    const start = performance.now()
    const outcomes = await Promise.all(jobs.map(async job => job()))
    const wall = performance.now() - start
    const bytes = (await wan.traffic()).betweenSites - before

    measured.push({ phase: name, outcomes: outcomes.flat(), bytes: Math.max(0, bytes - trial.idle * wall) })

    return outcomes
  }

  const ask = async (kind: Job['kind'], site: number, choose: Choose, batch: Batch): Promise<Outcome[]> =>
    trial.clients.run(site, jobOf(kind, site, choose, batch, trial))
  const first = all.map(site => ({ seed: trial.seed * 1000 + site * 100_000 }))

  const written = await phase('write', all.map((site, i) => async () => ask('write', site, writer, first[i])))
  const cids = written.map(outcomes => outcomes.map(({ cid }) => cid))
  await setTimeout(trial.settle)
  const batches: Batch[] = first.map((batch, i) => ({ ...batch, cids: cids[i] }))
  await phase('read in the site', all.map((site, i) => async () => ask('read', site, reader, batches[i])))

  if (sites > 1) {
    await phase('read from another site', [async () => ask('read', 2, reader, batches[0])])
    await phase('read again', [async () => ask('read', 2, next, batches[0])])
  }

  const others: Batch = { seed: first[0].seed + objects.count }
  others.cids = (await ask('write', 1, writer, others)).map(({ cid }) => cid)
  await setTimeout(trial.settle)
  await wan.cut(1)
  await phase('read while cut off', [async () => ask('read', 1, reader, others)])
    .finally(async () => wan.heal(1))
  await trial.running.reconnect()

  return measured
}

interface Batch {
  /** Of the first object. */
  seed: number
  cids?: Array<string | undefined>
}

function jobOf (
  kind: Job['kind'],
  site: number,
  choose: Choose,
  { seed, cids = [] }: Batch,
  { side: { api }, objects: { size, compressible, count } }: Trial
): Job {
  const items = Array.from({ length: count }, (_, number): Job['items'][number] => {
    const object: SiteObject = { size, compressible, seed: seed + number }
    const node = addressOf(site, choose(number))
    const cid = cids[number]

    return { ...object, node, ...cid == null ? {} : { cid } }
  })

  return { kind, api, concurrency: count, timeout: TIMEOUT, items }
}

/** Bytes that pass between sites while nothing is asked, in each millisecond. */
export async function measureIdle (wan: Wan, time: number): Promise<number> {
  const before = (await wan.traffic()).betweenSites
  const start = performance.now()
  await setTimeout(time)

  return ((await wan.traffic()).betweenSites - before) / (performance.now() - start)
}
