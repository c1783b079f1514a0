import fc from 'fast-check'
import { xxhash64 } from 'hash-wasm'
import { xxHash32 } from 'js-xxhash'
import { describe, expect, it } from 'vitest'
import { Xxh32 } from '../src/format/checksums/xxh32.ts'
import { Xxh64 } from '../src/format/checksums/xxh64.ts'
import { noise } from './fixtures.ts'

const BYTES = noise(2000)

/** A length, and where the bytes are cut. */
const cuts = fc.nat(BYTES.byteLength).chain(length => fc.array(fc.nat(length), { maxLength: 20 })
  .map(places => [0, ...places.toSorted((a, b) => a - b), length]))

describe('incremental hashes', () => {
  it('match other implementations, wherever the input is cut', async () => {
    await fc.assert(fc.asyncProperty(cuts, async places => {
      const whole = BYTES.subarray(0, places[places.length - 1])
      const xxh32 = new Xxh32()
      const xxh64 = new Xxh64()

      for (const [i, place] of places.slice(1).entries()) {
        xxh32.update(BYTES.subarray(places[i], place))
        xxh64.update(BYTES.subarray(places[i], place))
      }

      expect(xxh32.digest()).toBe(xxHash32(whole, 0))
      expect(xxh64.digestLow()).toBe(Number.parseInt((await xxhash64(whole)).slice(8), 16))
    }), { numRuns: 300 })
  })
})
