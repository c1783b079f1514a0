import { setTimeout } from 'node:timers/promises'
import { addressOf } from './wan.ts'
import type { Clients } from './clients.ts'
import type { Door, Job, Outcome, SiteObject } from './messages.ts'
import type { RunningSide, Side } from './side.ts'
import type { Wan } from './wan.ts'

/** How long an object may take, in milliseconds. */
const TIMEOUT = 60_000

/** What is written and read. */
export interface Objects {
  /** Bytes of each. */
  size: number
  compressible: boolean
  /** How many are written, and read, at a time: one in the first site, or as many in each site. */
  atATime: number
  /** How often, one after the other. */
  trials: number
}

/** A side that runs, and who asks it. */
export interface Trial {
  wan: Wan
  clients: Clients
  side: Side
  running: RunningSide
  sites: number
  nodes: number
  objects: Objects
  /** Of the first object. It differs by at least a million between what must not be the same. */
  seed: number
  /** Bytes between sites while nothing is asked, in each millisecond. */
  idle: number
  /** How long to wait after a write, in milliseconds: nodes tell each other what they have. */
  settle: number
}

/** The steps, in order. Their names are those of the table. */
export const PHASES = [
  'write', 'write by a command', 'read in the site', 'read from another site', 'read again', 'read while cut off',
  'write, a storage process killed', 'read, a storage process killed'
] as const

export interface Measured {
  phase: typeof PHASES[number]
  outcomes: Outcome[]
  /** Bytes between sites, without those of idle nodes. */
  bytes: number
}

/** The node for an object in each phase, by its number. */
type Choose = (number: number) => number

/** Objects of one site. */
interface Batch {
  /** The site that wrote them. */
  site: number
  /** Of the first object. */
  seed: number
  cids: Array<string | undefined>
  /** The addresses of the nodes that wrote them. */
  writers: string[]
}

/** Objects that are written through another door, before a site is cut off, and when storage is killed, are others. */
const OTHER_DOOR = 50_000
const CUT_OFF = 500_000
const KILLED = 700_000
/** Between the seeds of two sites. */
const OF_SITE = 100_000

/**
 * Write objects, and others through another door; read the first in their site, read those of the first site in the
 * second one, twice, and read others in the first one while it is cut off.
 */
export async function runTrial (trial: Trial): Promise<Measured[]> {
  const { wan, running, sites, settle, side: { doors: [door, otherDoor], onlyWrites } } = trial
  const measured: Measured[] = []
  const batches = newBatches(trial, 0)
  const phase = phases(trial, measured)

  await phase(door, batches, writer)

  if (otherDoor != null) {
    await phase(otherDoor, newBatches(trial, OTHER_DOOR), writer)
  }

  if (onlyWrites === true) {
    return measured
  }

  await setTimeout(settle)
  await phase('read in the site', batches, reader)

  if (sites > 1) {
    await phase('read from another site', batches.slice(0, 1), reader, 2)
    await phase('read again', batches.slice(0, 1), next, 2)
  }

  const cutOff = newBatches(trial, CUT_OFF).slice(0, 1)
  await phases(trial, [])(door, cutOff, writer)
  await setTimeout(settle)
  await wan.cut(1)

  try {
    await phase('read while cut off', cutOff, reader)
  } finally {
    await wan.heal(1)
  }

  await running.reconnect()

  return measured
}

/** Kill a process of the storage in the first site, then write there, and read what was written before. */
export async function runKilled (trial: Trial): Promise<Measured[]> {
  const measured: Measured[] = []
  const phase = phases(trial, measured)
  const [before, after] = [KILLED, KILLED + 1000].map(seed => newBatches(trial, seed).slice(0, 1))

  await phases(trial, [])(trial.side.doors[0], before, writer)
  await trial.running.killStorage?.()
  await phase('write, a storage process killed', after, writer)

  if (trial.side.onlyWrites !== true) {
    await phase('read, a storage process killed', before, reader)
  }

  return measured
}

/**
 * Let every node write objects, and read those of all others: what is measured is a node that has run for a while, not
 * the first request to a new process.
 *
 * @returns what it did, which is not measured
 */
export async function warmUp (trial: Trial, count: number): Promise<Measured[]> {
  const { nodes, objects, settle } = trial
  // each node writes one of as many as there are nodes
  const warm = { ...trial, objects: { ...objects, atATime: nodes, trials: count } }
  const done: Measured[] = []
  const phase = phases(warm, done)
  const all = Array.from({ length: trial.sites }, (_, i) => newBatch(warm, i + 1, 0))

  await phase(trial.side.doors[0], all, writer)

  if (trial.side.onlyWrites === true) {
    return done
  }

  await setTimeout(settle)
  await phase('read in the site', all, reader)

  await Promise.all(all.map(async ({ site }) =>
    phase('read from another site', all.filter(batch => batch.site !== site), reader, site)))

  return done
}

/** Bytes that pass between sites while nothing is asked, in each millisecond. */
export async function measureIdle (wan: Wan, time: number): Promise<number> {
  const before = (await wan.traffic()).betweenSites
  const start = performance.now()
  await setTimeout(time)

  return ((await wan.traffic()).betweenSites - before) / (performance.now() - start)
}

const writer: Choose = number => number
/** Half by the node that wrote it, half by the next one. */
const reader: Choose = number => number + Math.floor(number / 2)
/** Another one than `reader`, if there is another one. */
const next: Choose = number => reader(number) + 1

function newBatches (trial: Trial, offset: number): Batch[] {
  const sites = trial.objects.atATime === 1 ? 1 : trial.sites

  return Array.from({ length: sites }, (_, i) => newBatch(trial, i + 1, offset))
}

function newBatch ({ seed }: Trial, site: number, offset: number): Batch {
  return { site, seed: seed + offset + site * OF_SITE, cids: [], writers: [] }
}

type RunPhase = (name: Measured['phase'], batches: readonly Batch[], choose: Choose, from?: number) => Promise<void>

/** Runs phases, and adds what they measured to a list. A batch whose phase writes gets the CIDs. */
function phases (trial: Trial, measured: Measured[]): RunPhase {
  const { wan, clients, objects: { trials }, side: { doors } } = trial

  return async (phase, batches, choose, from = undefined) => {
    const before = (await wan.traffic()).betweenSites
    const start = performance.now()
    const outcomes: Outcome[] = []

    for (let i = 0; i < trials; i++) {
      const all = await Promise.all(batches.map(async batch => {
        const site = from ?? batch.site
        const job = jobOf(kindOf(phase, doors[0]), site, i, choose, batch, trial)
        const done = await clients.run(site, job)

        if (job.kind === 'read') {
          return done.map((outcome, j) => ({
            ...outcome, byWriter: job.items[j].node === batch.writers[i * done.length + j]
          }))
        }

        batch.cids.push(...done.map(({ cid }) => cid))
        batch.writers.push(...job.items.map(({ node }) => node))

        return done
      }))
      outcomes.push(...all.flat())
    }

    const wall = performance.now() - start
    const bytes = (await wan.traffic()).betweenSites - before
    measured.push({ phase, outcomes, bytes: Math.max(0, bytes - trial.idle * wall) })
  }
}

/** Whatever else is written goes through the first door. */
function kindOf (phase: Measured['phase'], door: Door): Job['kind'] {
  if (phase.startsWith('read')) {
    return 'read'
  }

  return phase === 'write' || phase === 'write by a command' ? phase : door
}

function jobOf (
  kind: Job['kind'],
  site: number,
  trial: number,
  choose: Choose,
  { seed, cids }: Batch,
  { nodes, side: { api }, objects: { size, compressible, atATime } }: Trial
): Job {
  const items = Array.from({ length: atATime }, (_, i): Job['items'][number] => {
    const number = trial * atATime + i
    const object: SiteObject = { size, compressible, seed: seed + number }
    const node = addressOf(site, choose(number) % nodes + 1)
    const cid = kind === 'read' ? cids[number] : undefined

    return { ...object, node, ...cid == null ? {} : { cid } }
  })

  return { kind, api, concurrency: atATime, timeout: TIMEOUT, items }
}
