import { WrongFrameError } from '@ipfsz/codecs'
import { DeltaCompressor } from '@ipfsz/codecs/zstd-delta'
import { MemoryBlockstore } from 'blockstore-core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { collect, noise, same, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

const KIB = 1024
const FRAME = 512 * KIB

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a frame of what changed that does not decode', () => {
  it.each([
    ['of one frame', 100 * KIB, text(20)],
    ['of several frames', 1500 * KIB, text(20)],
    ['of one frame that did not change', 100 * KIB, new Uint8Array(0)],
    ['of several frames that did not change', 1500 * KIB, new Uint8Array(0)]
  ])('is an error of the file, %s', { tags: 'slow' }, async (_, size, inserted) => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const bytes = noise(size)
    const next = Uint8Array.from([...inserted, ...bytes])
    const base = await fs.addBytes(bytes, { compression: { codec: 'zstd', detect: false } })
    const add = async (): Promise<CID> => fs.addBytes(next, { compression: { codec: 'zstd', base } })
    const wrong = Promise.reject(new WrongFrameError('zstd'))
    wrong.catch(() => {})
    let frames = 0

    const { compress } = DeltaCompressor.prototype
    const spy = vi.spyOn(DeltaCompressor.prototype, 'compress')
    spy.mockImplementation(function (this: DeltaCompressor, ...args) {
      const delta = compress.apply(this, args)
      frames += delta == null ? 0 : 1

      // of several, those before the last one are right
      return delta && { ...delta, ...frames === Math.ceil(size / FRAME) ? { checked: wrong } : {} }
    })

    await expect(add()).rejects.toMatchObject({ name: 'WrongFrameError' })
    spy.mockRestore()
    expect(same(await collect(fs.cat(await add())), next)).toBe(true)
  })
})
