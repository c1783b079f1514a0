import { yieldToEventLoop } from '@ipfsz/codecs/internal'
import { describe, expect, it } from 'vitest'
import { BASED_FRAME_SIZE } from '../src/constants.ts'
import { isCompressedType } from '../src/policy/detector.ts'
import { resolveCompression } from '../src/policy/compression.ts'
import { ByteReader } from '../src/util/byte-reader.ts'
import { beginFile } from '../src/write/begin-file.ts'
import { noise } from './fixtures.ts'
import type { FrameBase } from '../src/base/frame-base.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** Eight pieces, all of which the layout reads before it decides. */
const BYTES = noise(8 * BASED_FRAME_SIZE)

/** A codec that takes dictionaries. */
function codecWith (compress: Codec['compress']): Codec {
  return {
    name: 'zstd',
    code: 0x300100,
    levels: { min: 1, max: 1, default: 1 },
    implementation: 'native',
    dictionaries: true,
    compress,
    decompress: async bytes => bytes
  }
}

/** A base that is like all pieces, and counts those that it was asked for. */
function baseOf (content: Uint8Array): FrameBase & { asked: number } {
  return {
    link: { cid: undefined as unknown as CID, size: content.byteLength, dagSize: content.byteLength },
    size: content.byteLength,
    asked: 0,
    find () {
      this.asked++
      return { offset: 0, length: BASED_FRAME_SIZE }
    },
    aid: (bytes, region) => ({ bytes, region, dictionary: content.subarray(0, BASED_FRAME_SIZE) }),
    findResembling: () => undefined
  }
}

async function begin (codec: Codec, base: FrameBase): Promise<Awaited<ReturnType<typeof beginFile>>> {
  // the first call imports what it needs: meanwhile, pieces are searched for
  await isCompressedType(BYTES)
  const options = { codec: 'zstd', base: async () => undefined } as const
  const compression = resolveCompression(options, [codec])

  if (compression == null) {
    throw new Error('It is not compressed')
  }

  return beginFile(undefined, base, new ByteReader(BYTES), compression, { openBase: async () => undefined })
}

describe('the beginning of a file with a base', () => {
  it('searches the base for no further piece once the first one has failed', async () => {
    const base = baseOf(BYTES)
    let asked = 0
    const codec = codecWith(async () => {
      asked = base.asked
      throw new Error('no memory')
    })

    await expect(begin(codec, base)).rejects.toThrow('no memory')

    for (let turn = 0; turn < 10; turn++) {
      await yieldToEventLoop()
    }

    // one search may have begun
    expect(base.asked).toBeLessThan(asked + 2)
  })

  it('does not wait for the regions of all pieces once the first one is compressed', async () => {
    const base = baseOf(BYTES)
    let asked = 0
    const codec = codecWith(async (bytes, { dictionary } = {}) => {
      asked = base.asked
      return dictionary == null ? bytes : bytes.subarray(0, 100)
    })
    const { base: used, regions } = await begin(codec, base)

    expect(used).toBe(base)
    // without that of the first piece
    expect(regions?.size).toBeLessThan(asked + 1)
  })
})
