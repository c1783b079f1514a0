import { setTimeout } from 'node:timers/promises'
import { startClients } from './clients.ts'
import { measureIdle, runKilled, runTrial, warmUp } from './trial.ts'
import { startWan } from './wan.ts'
import type { Plan } from './plans.ts'
import type { Side } from './side.ts'
import type { Measured, Trial } from './trial.ts'

/** Round trips of the paper, in milliseconds: from the client to its site, and in a site. */
export const CLIENT = 10
export const LAN = 0.5

/** Between the seeds of trials. */
const TRIAL = 1_000_000

export interface MeasureSideInit {
  plan: Plan
  /** From 0. */
  round: number
  /** Empty. */
  directory: string
}

/** Takes what was measured, with the number of the kind of objects in the plan. */
export type AddMeasured = (objects: number, measured: readonly Measured[]) => void

/**
 * Start the nodes of a side in a network of their own, and run a plan's phases, once.
 *
 * @throws nothing could be written, or something did not start
 */
export async function measureSide (side: Side, init: MeasureSideInit, add: AddMeasured): Promise<void> {
  const { sites, nodes, delay } = init.plan
  const wan = await startWan({ sites, nodes, delays: { sites: delay, client: CLIENT, lan: LAN } })
  const clients = startClients(wan, sites)

  try {
    await measureIn({ wan, clients }, side, init, add)
  } finally {
    await clients.close()
    await wan.close()
  }
}

async function measureIn (
  { wan, clients }: Pick<Trial, 'wan' | 'clients'>,
  side: Side,
  { plan, round, directory }: MeasureSideInit,
  add: AddMeasured
): Promise<void> {
  const { sites, nodes, objects: all, start, settle } = plan
  const running = await side.start({ wan, sites, nodes, directory })

  try {
    await setTimeout(start)
    const idle = await measureIdle(wan, start / 2)
    const trial = { wan, clients, side, running, sites, nodes, objects: all[0], idle, settle, seed: 0 }
    checkWritten(await warmUp(trial, plan.warmUp))

    for (const [i, objects] of all.entries()) {
      const measured = await runTrial({ ...trial, objects, seed: (round * all.length + i + 1) * TRIAL })
      add(i, measured)
      checkWritten(measured)
    }

    // nothing else is measured with the storage in that state
    if (running.killStorage != null && round === plan.rounds - 1) {
      add(0, await runKilled({ ...trial, seed: (round + 1) * all.length * TRIAL }))
    }
  } finally {
    await running.close()
  }
}

/** Everything after it would fail too, and each object may take a minute to do so. */
function checkWritten (measured: readonly Measured[]): void {
  for (const { phase, outcomes } of measured) {
    if (phase.startsWith('write') && outcomes.every(({ failure }) => failure != null)) {
      throw new Error(`could write nothing (${phase}): ${outcomes[0].failure}`)
    }
  }
}
