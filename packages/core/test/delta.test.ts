import { zstd } from '@ipfsz/codecs/zstd'
import { DeltaCodec } from '@ipfsz/codecs/zstd-delta'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isDelta } from '../src/frames/delta.ts'
import { decompressBased } from '../src/frames/decompress-based.ts'
import { noise } from '../../../test/support/data.ts'
import type * as delta from '../src/frames/delta.ts'

const CID_OF_NOTHING = CID.createV1(raw.code, identity.digest(new Uint8Array(0)))

/** A module that has loaded nothing yet. */
const FRESH = '../src/frames/delta.ts?fresh'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('what compresses by what changed', () => {
  it('is left out while it cannot be loaded, and then tried again', async () => {
    const { loadDelta } = await import(/* @vite-ignore */ FRESH) as typeof delta
    vi.spyOn(DeltaCodec, 'create').mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'))

    await expect(loadDelta()).resolves.toBeUndefined()
    await expect(loadDelta()).resolves.toBeInstanceOf(DeltaCodec)
    expect(await loadDelta()).toBe(await loadDelta())
  })

  it('reads no frame that would make it keep much memory, or that libzstd reads as quickly', async () => {
    const codec = zstd()
    const file = { cid: CID_OF_NOTHING, base: CID_OF_NOTHING, codec }
    const decompress = vi.spyOn(DeltaCodec.prototype, 'decompress')

    const readBack = async (content: Uint8Array, dictionary: Uint8Array): Promise<void> => {
      const frame = await codec.compress(content, { dictionary })
      expect(await decompressBased(file, frame, { size: content.byteLength, dictionary })).toEqual(content)
    }

    const bytes = noise(2 ** 21 + 1)
    await readBack(bytes.subarray(0, 100_000), bytes.subarray(0, 2 ** 21))
    expect(decompress).toHaveBeenCalledTimes(1)
    await readBack(bytes.subarray(0, 100_000), bytes)
    await readBack(bytes.subarray(100_000, 200_000), bytes.subarray(0, 100_000))
    expect(decompress).toHaveBeenCalledTimes(1)
  })

  it('makes and reads small frames of pieces of up to 1 MiB alone', () => {
    expect(isDelta(new Uint8Array(2048), 65_536)).toBe(true)
    expect(isDelta(new Uint8Array(2049), 65_536)).toBe(false)
    expect(isDelta(new Uint8Array(10), 1_048_576)).toBe(true)
    expect(isDelta(new Uint8Array(10), 1_048_577)).toBe(false)
  })
})
