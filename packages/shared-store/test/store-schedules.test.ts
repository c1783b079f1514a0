/** @module-tag long */
import { describe, expect, it } from 'vitest'
import { LostBlockError, World } from './store-world.ts'
import type { Sabotage, WorldInit } from './store-world.ts'

const chances = { fail: 5, pause: 30, kill: 2 }

/** Two sessions add the same file, one adds another that shares a block, and two nodes collect. */
const WORLD: Omit<WorldInit, 'seed'> = {
  sessions: [{ blocks: [0, 4], pin: 'a' }, { blocks: [0, 4], pin: 'a' }, { blocks: [1, 3, 0], pin: 'b' }],
  collectors: 2,
  collections: 1,
  chances
}

/** One node collects again and again. */
const ONE_COLLECTOR: Omit<WorldInit, 'seed'> = { ...WORLD, collectors: 1, collections: 2 }

/** Sessions that take long, while one node collects again and again. */
const LONG: Omit<WorldInit, 'seed'> = {
  sessions: [{ blocks: [0, 1, 2, 0, 1, 2], pin: 'a' }, { blocks: [2, 1, 0, 2, 1, 0], pin: 'a' }],
  collectors: 1,
  collections: 3,
  chances: { fail: 2, pause: 20, kill: 0 }
}

/** What must happen in some schedule, or the schedules prove little: each of these does in every fifth. */
const EVENTS = ['acknowledged', 'found', 'deleted', 'fenced', 'cleaned', 'waiting', 'SessionLostError']
/** These are rarer. */
const RARE_EVENTS = ['CollectionLostError', 'CollectionRunningError']

/** Worlds in which a step of the protocol has no effect, and about every 20th schedule loses a block. */
const SABOTAGES: Partial<Record<Sabotage, Omit<WorldInit, 'seed'>>> = {
  'objections get lost': LONG,
  'pins are read once': LONG,
  'sessions are hidden': LONG,
  'pins are taken back': WORLD
}

/** About every 200th schedule loses a block. */
const RARE_SABOTAGES: Partial<Record<Sabotage, Omit<WorldInit, 'seed'>>> = {
  'fences are hidden': WORLD,
  'pins are not confirmed': WORLD,
  'nobody waits': ONE_COLLECTOR,
  'deletes come late': WORLD
}

/** Run schedules, and return what happened in them. */
async function runSchedules (schedules: number): Promise<Set<string>> {
  const events = new Set<string>()

  for (let seed = 0; seed < schedules; seed++) {
    const world = new World({ ...WORLD, seed })
    await world.run()
    Object.keys(world.events).forEach(event => events.add(event))
  }

  return events
}

/** Run schedules until one fails. */
async function findFailure (init: Omit<WorldInit, 'seed'>, sabotage: string, schedules: number): Promise<unknown> {
  for (let seed = 0; seed < schedules; seed++) {
    try {
      await new World({ ...init, seed, sabotage: sabotage as Sabotage }).run()
    } catch (err) {
      return err
    }
  }

  return undefined
}

describe('sessions and collections in any order', () => {
  it('lose nothing that was acknowledged, and come to an end', async () => {
    const events = await runSchedules(100)

    expect(EVENTS.filter(event => !events.has(event))).toEqual([])
  })

  it('lose nothing that was acknowledged in thousands of orders', { tags: 'nightly' }, async () => {
    const events = await runSchedules(3000)

    expect([...EVENTS, ...RARE_EVENTS].filter(event => !events.has(event))).toEqual([])
  })

  it.each(Object.entries(SABOTAGES))('lose a block if %s', async (sabotage, init) => {
    expect(await findFailure(init, sabotage, 1000)).toBeInstanceOf(LostBlockError)
  })

  it.each(Object.entries(RARE_SABOTAGES))('lose a block if %s', { tags: 'nightly' }, async (sabotage, init) => {
    expect(await findFailure(init, sabotage, 10_000)).toBeInstanceOf(LostBlockError)
  })
})
