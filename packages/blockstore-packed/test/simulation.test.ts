import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulation/simulate.ts'

/** Runs of two writers, a reader and a collection, with crashes: `SEEDS=10000 SEED=0` for more, or others. */
const SEEDS = Number(env.SEEDS ?? 200)
const FIRST = Number(env.SEED ?? 0)

describe('a store on a disk that loses, tears and refuses', () => {
  it(`keeps every acknowledged block, and returns no wrong byte, with ${SEEDS} seeds from ${FIRST} on`, async () => {
    const failures: string[] = []

    for (let seed = FIRST; seed < FIRST + SEEDS && failures.length < 5; seed++) {
      const failure = await simulate(seed)

      if (failure != null) {
        failures.push(`seed ${seed}: ${failure}`)
      }
    }

    expect(failures).toEqual([])
  })
})
