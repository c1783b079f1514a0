/** @module-tag slow */
import { allCodecs } from '@ipfsz/codecs/all'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Sandbox } from './run-cli.ts'

const CODECS = allCodecs().map(({ name, code }) => [name, code] as const)
const KIB = 1024
const FRAME = 4 * 1024 * KIB

describe.each(CODECS)('ipfsz with %s', (codec) => {
  it.for<[string, number, number]>([
    ['no bytes', 0, 0],
    ['1 byte', 1, 0],
    ['one frame minus one byte', FRAME - 1, 1],
    ['exactly one frame', FRAME, 1],
    ['one frame plus one byte', FRAME + 1, 2]
  ])('returns a file of %s unchanged', async ([, size, frames], { sandbox }) => {
    await expectUnchanged(sandbox, { codec, size, frames })
  })

  it('returns a file of 100 MB unchanged', { tags: 'nightly' }, async ({ sandbox }) => {
    await expectUnchanged(sandbox, { codec, size: 100_000_000, frames: 24 })
  })
})

async function expectUnchanged (
  sandbox: Sandbox,
  { codec, size, frames }: { codec: CodecName, size: number, frames: number }
): Promise<void> {
  const bytes = longText(size)

  const cid = await sandbox.add(bytes, '--codec', codec)
  const [stats, back] = await Promise.all([
    sandbox.run(['stat', cid, '--json']),
    sandbox.run(['cat', cid])
  ])

  expectSuccess(back)
  expect(back.stdout.equals(bytes)).toBe(true)
  expect(parseLines(stats.stdout)).toMatchObject([{ size, frames, codec: frames === 0 ? 'none' : codec }])
}

describe('a file of any size with frames of any size', () => {
  it.for(CODECS)('is read back whole and in ranges with %s', async ([codec]) => {
    const file = fc.record({
      content: fc.constantFrom(text, noise),
      seed: fc.integer({ min: 1, max: 1000 }),
      size: fc.oneof(
        fc.constantFrom(0, 1, 64 * KIB, 64 * KIB + 1),
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 60 * KIB, max: 70 * KIB }),
        fc.integer({ min: 0, max: 1024 * KIB })
      ),
      frameSize: fc.oneof(
        fc.constant(64 * KIB),
        fc.integer({ min: 64 * KIB, max: 512 * KIB }),
        fc.integer({ min: 64 * KIB, max: 4 * FRAME })
      ),
      detect: fc.boolean(),
      ranges: fc.array(
        fc.record({ from: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.integer({ min: 0, max: 300 * KIB }) }),
        { minLength: 1, maxLength: 5 }
      )
    })

    await fc.assert(fc.asyncProperty(file, async ({ content, seed, size, frameSize, detect, ranges }) => {
      const bytes = content(size, seed)
      const fs = ipfsz({ blockstore: new MemoryBlockstore() })
      const cid = await fs.addBytes(bytes, { compression: { codec, frameSize, detect } })

      expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)

      for (const { from, length } of ranges) {
        const offset = Math.floor(from * size)
        expect(Buffer.compare(await collect(fs.cat(cid, { offset, length })), bytes.subarray(offset, offset + length)))
          .toBe(0)
      }
    }), { numRuns: 100 })
  })
})

async function collect (source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []

  for await (const chunk of source) {
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}
