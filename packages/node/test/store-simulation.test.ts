/** @module-tag long */
import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulation/simulation.ts'
import type { Counts } from './simulation/simulation.ts'

/** The seeds that run each time. */
const ALWAYS = 120
/** How many run at night, with `SEEDS` others, from `SEED`. */
const SEEDS = Number(env.SEEDS ?? 10_000)
const FIRST = Number(env.SEED ?? 0)
/** Seeds of one test: all of them in one would take longer than a test may. */
const CHUNK = 500

/** What must happen in some run, or the runs prove little. */
const EVENTS = [
  'CollectionRunningError', 'SessionLostError', 'add', 'collect', 'daemon', 'deleted', 'fenced', 'get', 'not pinned',
  'pinned', 'round', 'store away', 'unpin', 'waiting'
]

async function simulateAll (first: number, end: number, counts: Counts = {}): Promise<string[]> {
  const failures: string[] = []

  for (let seed = first; seed < end && failures.length < 5; seed++) {
    const failure = await simulate(seed, {}, counts)

    if (failure != null) {
      failures.push(`seed ${seed}: ${failure}`)
    }
  }

  return failures
}

describe('nodes that share a store, on networks, disks and clocks that fail', () => {
  it('lose nothing that was acknowledged, read no wrong byte, and come to an end', async () => {
    const counts: Counts = {}

    expect(await simulateAll(0, ALWAYS, counts)).toEqual([])
    expect(EVENTS.filter(event => counts[event] == null)).toEqual([])
  })

  for (let first = FIRST; first < FIRST + SEEDS; first += CHUNK) {
    const end = Math.min(first + CHUNK, FIRST + SEEDS)

    it(`do so with the seeds ${first} to ${end - 1}`, { tags: 'nightly' }, async () => {
      expect(await simulateAll(first, end)).toEqual([])
    })
  }
})
