import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulation/simulate.ts'

/** Runs of two writers, a reader and a collection, with crashes: `SEEDS=10000 SEED=0` for more, or others. */
const SEEDS = Number(env.SEEDS ?? 200)
const FIRST = Number(env.SEED ?? 0)

/** Seeds of one test: ten thousand in one would take longer than a test may. */
const CHUNK = 500

describe('a store on a disk that loses, tears and refuses', () => {
  for (let first = FIRST; first < FIRST + SEEDS; first += CHUNK) {
    const end = Math.min(first + CHUNK, FIRST + SEEDS)

    it(`keeps every acknowledged block, and returns no wrong byte, with the seeds ${first} to ${end - 1}`, async () => {
      const failures: string[] = []

      for (let seed = first; seed < end && failures.length < 5; seed++) {
        const failure = await simulate(seed)

        if (failure != null) {
          failures.push(`seed ${seed}: ${failure}`)
        }
      }

      expect(failures).toEqual([])
    })
  }
})
