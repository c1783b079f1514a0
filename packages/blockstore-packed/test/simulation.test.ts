/** @module-tag long */
import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulation/simulate.ts'

/** The seeds that run each time. */
const ALWAYS = 200
/** How many run at night, with `SEEDS` others, from `SEED`. */
const SEEDS = Number(env.SEEDS ?? 10_000)
const FIRST = Number(env.SEED ?? 0)

/** Seeds of one test: ten thousand in one would take longer than a test may. */
const CHUNK = 500

/** Runs of two writers, a reader and a collection, with crashes. */
async function simulateAll (first: number, end: number): Promise<string[]> {
  const failures: string[] = []

  for (let seed = first; seed < end && failures.length < 5; seed++) {
    const failure = await simulate(seed)

    if (failure != null) {
      failures.push(`seed ${seed}: ${failure}`)
    }
  }

  return failures
}

describe('a store on a disk that loses, tears and refuses', () => {
  it('keeps every acknowledged block, and returns no wrong byte', async () => {
    expect(await simulateAll(0, ALWAYS)).toEqual([])
  })

  for (let first = FIRST; first < FIRST + SEEDS; first += CHUNK) {
    const end = Math.min(first + CHUNK, FIRST + SEEDS)

    it(`does so with the seeds ${first} to ${end - 1}`, { tags: 'nightly' }, async () => {
      expect(await simulateAll(first, end)).toEqual([])
    })
  }
})
