import { DeltaCodec } from '@ipfsz/codecs/zstd-delta'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isDelta } from '../src/frames/delta.ts'
import type * as delta from '../src/frames/delta.ts'

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

  it('makes and reads small frames of pieces of up to 1 MiB alone', () => {
    expect(isDelta(new Uint8Array(2048), 65_536)).toBe(true)
    expect(isDelta(new Uint8Array(2049), 65_536)).toBe(false)
    expect(isDelta(new Uint8Array(10), 1_048_576)).toBe(true)
    expect(isDelta(new Uint8Array(10), 1_048_577)).toBe(false)
  })
})
