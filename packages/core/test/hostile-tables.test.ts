import { codecs } from '@ipfsz/codecs/all'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SeekableParts } from '../../../test/support/seekable-parts.ts'
import { ipfsz, mark } from '../src/index.ts'
import { CountingBlockstore, noise, text } from './fixtures.ts'
import { putManyFrames } from './group-fixtures.ts'
import type { CID } from 'multiformats/cid'

const KIB = 1024

/** What an entry or a group never has, nearly has, or has elsewhere. */
const ABSURD = [0, 1, 7, 8, 255, 65_535, 65_536, 131_072, 2 ** 24, 2 ** 24 + 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]

/** A change of a table: a word that is replaced, or two words that change places. */
const CHANGE = fc.record({
  at: fc.nat(),
  other: fc.nat(),
  value: fc.oneof(fc.constantFrom(...ABSURD), fc.nat(2 ** 17)),
  isSwap: fc.boolean()
})

type Change = typeof CHANGE extends fc.Arbitrary<infer T> ? T : never

function changed (bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  const copy = bytes.slice()
  const view = new DataView(copy.buffer)
  const last = copy.byteLength - 4

  for (const { at, other, value, isSwap } of changes) {
    const [one, two] = [at % last, other % last]
    const word = isSwap ? view.getUint32(two, true) : value

    if (isSwap) {
      view.setUint32(two, view.getUint32(one, true), true)
    }

    view.setUint32(one, word, true)
  }

  return copy
}

const REFUSED = new Set([
  'BaseTooCostlyError', 'CorruptFrameError', 'InvalidDagError', 'InvalidHeaderError', 'InvalidParametersError',
  'InvalidTrailerError', 'UnreadableBaseError', 'WindowTooLargeError', 'WrongBaseError'
])

/** Read a range: as many bytes as it may have, or a named error, and few blocks. */
async function readBounded (
  cid: CID,
  blockstore: CountingBlockstore,
  range: { offset: number, length: number }
): Promise<void> {
  blockstore.gets.length = 0
  let bytes = 0

  try {
    for await (const part of ipfsz({ blockstore }).cat(cid, range)) {
      bytes += part.byteLength
    }
  } catch (err) {
    expect(REFUSED, String(err)).toContain((err as Error).name)
  }

  expect(bytes).toBeLessThanOrEqual(range.length)
  expect(blockstore.gets.length).toBeLessThan(100)
}

const CHANGES = fc.array(CHANGE, { minLength: 1, maxLength: 4 })
const RANGE = fc.record({ offset: fc.nat(64 * KIB), length: fc.nat(200 * KIB) })

describe('a table with absurd entries, after the frames of a file', () => {
  const pieces = [text(64 * KIB), text(70_000, 2), text(500, 3)]

  const names = ['zstd', 'lz4', 'brotli', 'gzip', 'lzo', 'snappy'] as const

  it.each(names)('of %s ends in bytes or an error', async codec => {
    await fc.assert(fc.asyncProperty(CHANGES, RANGE, async (changes, range) => {
      const blockstore = new CountingBlockstore()
      const trailer = (bytes: Uint8Array): Uint8Array => changed(bytes, changes)
      const { cid } = await putManyFrames(pieces, frame => frame, 3, blockstore, { codec, trailer })
      await readBounded(cid, blockstore, range)
    }), { numRuns: 60 })
  })

  it('with a base ends in bytes or an error', async () => {
    const bytes = noise(300 * KIB)
    const based = [64 * KIB, 70_000, 500].map((length, i) => bytes.subarray(i * 5000, i * 5000 + length))
    const regions = [{ offset: 0, length: 70_000 }, { offset: 4000, length: 80_000 }, { offset: 9000, length: 2000 }]

    await fc.assert(fc.asyncProperty(CHANGES, RANGE, async (changes, range) => {
      const blockstore = new CountingBlockstore()
      const base = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec: 'none' } })
      const link = { cid: base, size: bytes.byteLength, dagSize: bytes.byteLength }
      // the table, and not the head of the base
      const trailer = (all: Uint8Array): Uint8Array =>
        Buffer.concat([changed(all.subarray(0, 68), changes), all.subarray(68)])
      const { cid } = await putManyFrames(based, frame => frame, 3, blockstore, { trailer }, { link, bytes, regions })
      await readBounded(cid, blockstore, range)
    }), { numRuns: 100 })
  })
})

describe('the seek table of a stream, with any entries', () => {
  it.each(['zstd', 'lz4'] as const)('of %s ends in bytes or an error', async codec => {
    const frames = await Promise.all([1000, 3000, 1, 70_000].map(async (size, i) =>
      codecs[codec]().compress(text(size, i))))
    const size = fc.oneof(fc.constantFrom(...ABSURD), fc.constantFrom(1000, 3000, 70_000))
    // what the table says of each frame, or of none
    const entries = fc.array(fc.record({ frame: fc.nat(5), size }), { minLength: 1, maxLength: 12 })

    await fc.assert(fc.asyncProperty(entries, RANGE, async (entries, range) => {
      const blockstore = new CountingBlockstore()
      const parts = new SeekableParts(blockstore)
      const all = await Promise.all(entries.map(async ({ frame, size }) =>
        [await parts.leaf(frames[frame] ?? new Uint8Array(0)), size] as const))
      await readBounded(mark(await parts.stream(all), codec), blockstore, { ...range, offset: range.offset % 2000 })
    }), { numRuns: 200 })
  })
})
