import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { ALL, label, text } from './fixtures.ts'

const bytes = text(10_000)

/** Where the descriptors of frames have the bit for a dictionary ID: behind the magic number. */
const DESCRIPTOR = 4

/** A frame whose descriptor says that it was compressed with a dictionary. */
async function frameOf (name: 'zstd' | 'lz4'): Promise<Uint8Array> {
  const frame = new Uint8Array(await codecs[name]().compress(bytes))
  frame[DESCRIPTOR] |= 1

  return frame
}

async function * piecesOf (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

describe.each(
  ALL.filter(({ name }) => name === 'zstd' || name === 'lz4').map(codec => [label(codec), codec] as const)
)('%s', (_, { name, implementation }) => {
  const variants = [true, false].map(workers => [workers, codecs[name]({ implementation, workers })] as const)

  it.each(variants)('says by a field that a frame needs a dictionary, with workers: %s', async (_, codec) => {
    const frame = await frameOf(name as 'zstd' | 'lz4')

    await expect(async () => codec.decompress(frame, { size: bytes.byteLength }))
      .rejects.toMatchObject({ name: 'CorruptFrameError', codec: name, needsDictionary: true })
    await expect(Array.fromAsync(codec.decompressStream?.(piecesOf(frame)) ?? []))
      .rejects.toMatchObject({ name: 'CorruptFrameError', codec: name, needsDictionary: true })
  })

  it.each(variants)('does not say so of a frame that is cut short, with workers: %s', async (_, codec) => {
    const frame = (await codecs[name]().compress(bytes)).subarray(0, -5)

    await expect(async () => codec.decompress(frame, { size: bytes.byteLength }))
      .rejects.toMatchObject({ name: 'CorruptFrameError', codec: name, needsDictionary: false })
  })
})
