import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StringsModule } from '../src/strings.ts'
import type { Strings, StringsInit } from '../src/strings.ts'

const ENCODER = new TextEncoder()

/** One string in four is counted. */
const MASK = -1 << 30
const INIT: StringsInit = { mask: MASK, slotBits: 6, maxStrings: 10_000 }

/** Files of few words, so that they share some. */
const files = fc.array(
  fc.array(fc.constantFrom('the quick brown fox', 'jumps over', ' the lazy dog', '0123456789', 'x'), { maxLength: 20 })
    .map(words => ENCODER.encode(words.join(''))),
  { maxLength: 6 }
)

interface Found {
  places: number[]
  numbers: number[]
  counts: number[]
}

/** What the module finds, in the obvious way. */
function slow (files: readonly Uint8Array[], { mask, slotBits }: StringsInit): Found {
  const slots = new Map<number, { key: number, files: Set<number> }>()
  const all: Array<{ place: number, slot: number }> = []
  const counts: number[] = []
  let start = 0

  for (const [file, bytes] of files.entries()) {
    const before = all.length
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

    for (let at = 0; at + 11 <= bytes.byteLength; at++) {
      const hash = Math.imul(view.getInt32(at, true), 0x9e3779b1) + Math.imul(view.getInt32(at + 4, true), 0x85ebca77)
      const product = view.getBigUint64(at, true) * 0x9e3779b185ebca87n ^
        view.getBigUint64(at + 3, true) * 0xc2b2ae3d27d4eb4fn
      const key = Number(BigInt.asUintN(64, product) >> 32n)
      const slot = key >>> 32 - slotBits

      if ((hash & mask) !== 0) {
        continue
      }

      const known = slots.get(slot) ?? { key, files: new Set() }
      slots.set(slot, known)

      if (known.key === key && !known.files.has(file)) {
        known.files.add(file)
        all.push({ place: start + at, slot })
      }
    }

    counts.push(all.length - before)
    start += bytes.byteLength
  }

  const shared = all.filter(({ slot }) => (slots.get(slot)?.files.size ?? 0) > 1)
  const order = [...new Set(shared.map(({ slot }) => slot))]

  return {
    places: shared.map(({ place }) => place),
    numbers: shared.map(({ slot }) => order.indexOf(slot)),
    counts
  }
}

function toFound ({ places, numbers, counts }: Strings): Found {
  return { places: [...places], numbers: [...numbers], counts: [...counts] }
}

describe('StringsModule', () => {
  it('finds the strings that several files have, whatever it found before', async () => {
    const module = await StringsModule.load()

    fc.assert(fc.property(files, files => {
      const strings = module?.index(files, INIT)
      const { firsts = [], distinct = 0, numbers = [] } = strings ?? {}

      expect(strings && toFound(strings)).toEqual(slow(files, INIT))
      expect(firsts.length).toBe(files.length + 1)
      expect(firsts.at(-1)).toBe(numbers.length)
      expect(distinct).toBe(new Set(numbers).size)
    }), { numRuns: 500 })
  })

  it('counts no more strings than it has room for', async () => {
    const module = await StringsModule.load()
    const bytes = ENCODER.encode('the quick brown fox jumps over the lazy dog'.repeat(20))
    const { numbers = [] } = module?.index([bytes, bytes], { ...INIT, mask: 0, maxStrings: 8 }) ?? {}

    expect(numbers.length).toBeLessThanOrEqual(8)
  })

  it('finds the segment whose strings most files have, and does not count again what is covered', async () => {
    const module = await StringsModule.load()

    fc.assert(fc.property(files, fc.integer({ min: 0, max: 60 }), (files, span) => {
      const { places = [], numbers = [] } = module?.index(files, INIT) ?? {}
      const weights = [...numbers].map(number => numbers.filter(other => other === number).length - 1)
      const covered = new Set<number>()
      module?.weigh(0, files.length)

      for (;;) {
        let best = 0

        for (const [first, place] of places.entries()) {
          const seen = new Set<number>()
          let score = 0

          for (let at = first; at < places.length && places[at] - place <= span; at++) {
            score += seen.has(numbers[at]) || covered.has(numbers[at]) ? 0 : weights[at]
            seen.add(numbers[at])
            best = Math.max(best, score)
          }
        }

        const found = module?.findBest(0, numbers.length, span)
        expect(found?.score ?? 0).toBe(best)

        if (found == null) {
          return
        }

        module?.cover(found)
        numbers.slice(found.first, found.last).forEach(number => { covered.add(number) })
      }
    }), { numRuns: 200 })
  })
})
