import { describe, expect, it } from 'vitest'
import { FIRST_SEEDS, PLANTS } from './simulation/plants.ts'
import { simulate } from './simulation/simulation.ts'

/** Each is found within so many. */
const SEEDS = 1000

describe('the simulation finds the fault that', () => {
  for (const [name, plant] of Object.entries(PLANTS)) {
    it(name, { tags: 'nightly' }, async () => {
      const first = FIRST_SEEDS[name] ?? 0
      let failure: string | undefined

      for (let i = 0; i < SEEDS && failure == null; i++) {
        failure = await simulate((first + i) % SEEDS, plant)
      }

      expect(failure).toBeTypeOf('string')
    })
  }
})
