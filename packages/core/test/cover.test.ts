import { StringsModule } from '@ipfsz/codecs/strings'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinSegments, selectSegments } from '../src/dictionary/cover.ts'
import { SharedStrings } from '../src/dictionary/shared-strings.ts'
import { noise } from './fixtures.ts'

const KIB = 1024

/** Samples with a part in common, each between bytes of its own. */
function samplesWith (shared: Uint8Array, count = 6): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => Buffer.concat([
    noise(3000 + 17 * i, 10 + i),
    shared,
    noise(2000, 30 + i)
  ]))
}

const module = await StringsModule.load() as StringsModule

function select (samples: Uint8Array[], size: number): Uint8Array {
  const strings = new SharedStrings(samples, module)

  return joinSegments(selectSegments(strings, { from: 0, to: samples.length }, size), strings)
}

describe('selectSegments', () => {
  it('chooses what samples have in common, and nothing else', () => {
    const shared = noise(3 * KIB, 1)
    const chosen = Buffer.from(select(samplesWith(shared), 64 * KIB))

    // segments are trimmed to strings that are in other samples, so only a few bytes beside may be there
    expect(chosen.byteLength).toBeGreaterThan(2.9 * KIB)
    expect(chosen.byteLength).toBeLessThan(3.5 * KIB)

    for (let i = 0; i + 100 < shared.byteLength; i += 100) {
      const hit = [0, 20, 40, 60].some(more => chosen.includes(Buffer.from(shared.subarray(i + more, i + more + 40))))
      expect(hit).toBe(true)
    }
  })

  it('chooses nothing if each sample is unlike the others', () => {
    const samples = Array.from({ length: 8 }, (_, i) => noise(5000, i + 1))

    expect(select(samples, 64 * KIB).byteLength).toBe(0)
    expect(select([], 64 * KIB).byteLength).toBe(0)
    expect(select([new Uint8Array(7), new Uint8Array(7)], 64 * KIB).byteLength).toBe(0)
  })

  it('does not choose what one sample repeats', () => {
    const repeated = noise(2000, 3)
    const samples = [Buffer.concat([repeated, repeated, repeated]), noise(5000, 4), noise(5000, 5)]

    expect(select(samples, 64 * KIB).byteLength).toBe(0)
  })

  it('puts what most samples have at the end', () => {
    const [common, rare] = [noise(1024, 1), noise(1024, 2)]
    const samples = Array.from({ length: 8 }, (_, i) =>
      Buffer.concat([i < 2 ? rare : noise(1024, 50 + i), noise(9000, 70 + i), common]))
    const chosen = Buffer.from(select(samples, 64 * KIB))

    expect(chosen.indexOf(common.subarray(300, 700))).toBeGreaterThan(chosen.indexOf(rare.subarray(300, 700)))
    expect(chosen.indexOf(rare.subarray(300, 700))).toBeGreaterThanOrEqual(0)
  })

  it('returns pieces of the samples, at most as many bytes as asked for, and always the same', () => {
    const samples = fc.array(fc.uint8Array({ maxLength: 300, max: 3 }), { maxLength: 12 })

    fc.assert(fc.property(samples, fc.integer({ min: 0, max: 2000 }), (samples, size) => {
      const chosen = select(samples, size)

      expect(chosen.byteLength).toBeLessThanOrEqual(size)
      expect(select(samples.map(bytes => bytes.slice()), size)).toEqual(chosen)
      // strings are not counted across samples, but a segment may hold the end of one and the start of the next
      const all = Buffer.concat(samples)
      expect(chosen.byteLength === 0 || all.includes(Buffer.from(chosen.subarray(-8)))).toBe(true)
    }), { numRuns: 100 })
  })
})
