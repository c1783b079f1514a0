import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { WaitingBlocks } from '../src/dag/waiting-blocks.ts'
import type { Waiting } from '../src/dag/waiting-blocks.ts'

const waiting: fc.Arbitrary<Waiting> = fc.record({
  cid: fc.record({
    version: fc.constantFrom(0, 1),
    code: fc.constantFrom(0x55, 0x70, 0x300501),
    digest: fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 0, max: 200_000 }).map(length => new Uint8Array(length))
    )
  })
    .map(({ version, code, digest }) => version === 0 && digest.byteLength === 32
      ? CID.createV0(createDigest(0x12, digest))
      : CID.createV1(code, createDigest(0x12, digest))),
  levels: fc.oneof(fc.constant(Infinity), fc.nat()),
  isNew: fc.boolean()
})

function comparable ({ cid, ...rest }: Waiting): unknown {
  return { ...rest, cid: String(cid.version) + Buffer.from(cid.bytes).toString('latin1') }
}

describe('WaitingBlocks', () => {
  it('takes the same blocks in the same order as a plain list', () => {
    fc.assert(fc.property(fc.array(fc.oneof(waiting, fc.constant('take' as const)), { maxLength: 100 }), steps => {
      const blocks = new WaitingBlocks()
      const twin: Waiting[] = []
      const take = (): void => { expect(blocks.take().map(comparable)).toEqual(twin.splice(-16).map(comparable)) }

      for (const step of steps) {
        if (step === 'take') {
          take()
        } else {
          blocks.push(step)
          twin.push(step)
        }

        expect(blocks.isEmpty).toBe(twin.length === 0)
      }

      while (twin.length > 0) {
        take()
      }

      expect(blocks.isEmpty).toBe(true)
    }), { numRuns: 100 })
  })

  it('takes fewer blocks at once the larger blocks are, to read about 32 MiB together', () => {
    const blocks = new WaitingBlocks()
    const cid = CID.createV1(0x55, createDigest(0x12, new Uint8Array(32)))
    const counts = []

    for (const size of [0, 2 ** 21, 2 ** 21 + 1, 2 ** 23, 1, 2 ** 25, 2 ** 26]) {
      for (let i = 0; i < 16; i++) {
        blocks.push({ cid, levels: 0, isNew: true })
      }

      blocks.noteSize(size)
      counts.push(blocks.take().length)
    }

    expect(counts).toEqual([16, 16, 15, 4, 4, 1, 1])
  })
})
