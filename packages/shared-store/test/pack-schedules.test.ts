import { describe, expect, it } from 'vitest'
import { PackWorld } from './pack-world.ts'
import { LostBlockError } from './store-world.ts'
import type { PackSabotage, PackWorldInit } from './pack-world.ts'

const chances = { fail: 5, pause: 30, kill: 2 }

/** Two sessions add the same file, one adds another that shares a block, and two nodes collect. */
const WORLD: Omit<PackWorldInit, 'seed'> = {
  sessions: [{ blocks: [0, 6], pin: 'a' }, { blocks: [0, 6], pin: 'a' }, { blocks: [2, 5, 0], pin: 'b' }],
  collectors: 2,
  collections: 1,
  chances
}

/** Sessions that take long, while one node collects again and again. */
const LONG: Omit<PackWorldInit, 'seed'> = {
  sessions: [{ blocks: [0, 2, 3, 0, 2, 3], pin: 'a' }, { blocks: [3, 2, 0, 3, 2, 0], pin: 'a' }],
  collectors: 1,
  collections: 3,
  chances: { fail: 2, pause: 20, kill: 0 }
}

/** What must happen in some schedule, or the schedules prove little. */
const EVENTS = ['acknowledged', 'found', 'deleted', 'fenced', 'waiting', 'SessionLostError', 'left', 'completed']
/** These are rarer. */
const RARE_EVENTS = ['CollectionLostError', 'CollectionRunningError']

/** Worlds in which a step of the protocol has no effect. */
const SABOTAGES: Record<PackSabotage, Omit<PackWorldInit, 'seed'>> = {
  'objections get lost': LONG,
  'pins are read once': LONG,
  'sessions are hidden': LONG,
  'rounds are hidden': LONG,
  'pins are not confirmed': WORLD,
  'pins are taken back': WORLD,
  'condemned packs are relied on': LONG,
  'nothing is copied': WORLD
}

/** Run schedules, and return what happened in them. */
async function runSchedules (schedules: number): Promise<Set<string>> {
  const events = new Set<string>()

  for (let seed = 0; seed < schedules; seed++) {
    const world = new PackWorld({ ...WORLD, seed })
    await world.run()
    // whatever died, the next collection completes
    await world.collectAlone()
    expect(world.garbage).toEqual([])
    Object.keys(world.events).forEach(event => events.add(event))
  }

  return events
}

/** Run schedules until one fails. */
async function findFailure (init: Omit<PackWorldInit, 'seed'>, sabotage: string, schedules: number): Promise<unknown> {
  for (let seed = 0; seed < schedules; seed++) {
    try {
      await new PackWorld({ ...init, seed, sabotage: sabotage as PackSabotage }).run()
    } catch (err) {
      return err
    }
  }

  return undefined
}

describe('sessions and collections of packs in any order', () => {
  it('lose nothing that was acknowledged, and come to an end', async () => {
    const events = await runSchedules(100)

    expect(EVENTS.filter(event => !events.has(event))).toEqual([])
  })

  it('lose nothing that was acknowledged in thousands of orders', { tags: 'nightly' }, async () => {
    const events = await runSchedules(3000)

    expect([...EVENTS, ...RARE_EVENTS].filter(event => !events.has(event))).toEqual([])
  })

  it.each(Object.entries(SABOTAGES))('lose a block if %s', { tags: 'nightly' }, async (sabotage, init) => {
    expect(await findFailure(init, sabotage, 10_000)).toBeInstanceOf(LostBlockError)
  })
})
