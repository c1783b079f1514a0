/** @module-tag slow */
import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { NAMES, same } from './fixtures.ts'
import { inputs, readers } from './fuzz.ts'

const SEED = 20261121
const INPUTS = 500
/** How many of them also go through a worker. */
const WORKER_INPUTS = 50

const CASES = NAMES.flatMap(name => readers(name).flatMap(implementation => [
  { name, implementation, workers: false, count: INPUTS },
  // native implementations use no workers
  ...implementation === 'native' ? [] : [{ name, implementation, workers: true, count: WORKER_INPUTS }]
]))

// packages/codecs/scripts/fuzz.ts does the same for longer, and compares the results of the implementations
describe.each(CASES)('$name ($implementation, in workers: $workers), given $count frames, most of them mutated,', ({
  name,
  implementation,
  workers,
  count
}) => {
  it('reads intact frames, and decodes mutated ones to the requested size or refuses them', async () => {
    const codec = codecs[name]({ implementation, workers })
    const make = await inputs(name, SEED)

    for (let number = 0; number < count; number++) {
      const { frame, size, dictionary, bytes } = make(number)
      const outcome = await Promise.resolve(codec.decompress(frame, { size, dictionary })).catch((err: Error) => err)
      const isRight = bytes == null
        ? outcome instanceof Uint8Array ? outcome.byteLength === size : outcome.name === 'CorruptFrameError'
        : outcome instanceof Uint8Array && same(outcome, bytes)

      if (!isRight) {
        expect.fail(
          `${number} of the seed ${SEED}: ${outcome instanceof Error ? String(outcome) : `${outcome.byteLength} bytes`}`
        )
      }
    }
  })
})
