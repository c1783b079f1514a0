import { zstd } from '@ipfsz/codecs/zstd'
import { seal } from '@ipfsz/codecs/sealed'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_RECORD_SIZE } from '../src/filters/filter.ts'
import { applyFilters, decodeFilters, encodeFilters, undoFilters } from '../src/filters/filters.ts'
import { writeRoot } from '../src/dag/write.ts'
import { ipfsz, mark } from '../src/index.ts'
import { collect, CountingBlockstore, same } from './fixtures.ts'
import type { Filter } from '../src/filters/filter.ts'

const KIB = 1024

/** Codes of filters, known and near to these, with widths from 0 to 255, and any others. */
const codes = fc.array(fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.nat(4), width: fc.nat(70) }).map(toCode) },
  { weight: 1, arbitrary: fc.record({ kind: fc.nat(255), width: fc.nat(255) }).map(toCode) },
  { weight: 1, arbitrary: fc.maxSafeNat() }
), { maxLength: 6 })

/** Bytes as they come out of a frame that somebody made: of any length, with long runs and without. */
const content = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(255)).map(([bytes, times, fill]) => {
  const repeated = Buffer.concat(Array.from({ length: times }, () => bytes))

  return new Uint8Array(Buffer.concat([bytes, repeated, Buffer.alloc(times, fill)]))
})

function toCode ({ kind, width }: { kind: number, width: number }): number {
  return kind << 8 | width
}

/** A filter that is encoded as any code that fits into its width. */
function asFilter (code: number): Filter {
  return { kind: 'delta', width: (code ^ 0x100) as never }
}

describe('hostile lists of filters', { tags: 'nightly' }, () => {
  it('are refused, or known filters whose codes are the same', () => {
    fc.assert(fc.property(codes, list => {
      const filters = decodeFilters(list)

      expect(filters == null ? list : encodeFilters(filters)).toEqual(list)
      expect(filters?.every(({ width }) => width >= 1 && width <= MAX_RECORD_SIZE) ?? true).toBe(true)
      expect(filters?.length ?? 1).toBeLessThanOrEqual(4)
    }), { numRuns: 200_000 })
  })

  it('keep the length of any bytes, and lose nothing of them', () => {
    fc.assert(fc.property(codes, content, fc.nat(7), (list, bytes, skip) => {
      const filters = decodeFilters(list) ?? []
      const hostile = bytes.subarray(Math.min(skip, bytes.byteLength))
      const undone = undoFilters(hostile.slice(), filters)

      expect(undone.byteLength).toBe(hostile.byteLength)
      expect(same(applyFilters(undone, filters), hostile)).toBe(true)
    }), { numRuns: 50_000 })
  })

  it('in a header end in what they make of the frame, or in a named error', async () => {
    const codec = zstd()

    await fc.assert(fc.asyncProperty(codes, content.filter(({ byteLength }) => byteLength > 0), async (list, bytes) => {
      const blockstore = new CountingBlockstore()
      const frame = seal('zstd', await codec.compress(bytes))
      const header = {
        codec: codec.code,
        size: bytes.byteLength,
        frameSize: 256 * KIB,
        frameLengths: [frame.byteLength],
        filters: list.map(asFilter)
      }
      const { cid } = await writeRoot({ inline: frame, header }, {}, blockstore, {})
      // as its header has them: codes of more bits are cut when they are written
      const read = decodeFilters(encodeFilters(header.filters))
      const reading = collect(ipfsz({ blockstore }).cat(mark(cid, codec.code)))

      if (read == null) {
        await expect(reading).rejects.toMatchObject({ name: 'InvalidHeaderError' })
      } else {
        expect(same(await reading, undoFilters(bytes.slice(), read))).toBe(true)
      }
    }), { numRuns: 3000 })
  })
})
