import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { IDENTITY_CODE } from '../src/constants.ts'
import { encodeEnvelope } from '../src/value/envelope.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { cidOf } from './fixtures.ts'
import type { CodecName } from '@ipfsz/codecs'

const NAMES = Object.keys(codecs) as CodecName[]

function refuse (): never {
  throw new Error('a codec was called')
}

/** Codecs that must not be called. */
function lockedCodecs (): Array<ReturnType<typeof codecs.zstd>> {
  return NAMES.map(name => ({ ...codecs[name](), compress: refuse, decompress: refuse }))
}

describe('getStored', () => {
  it.each(NAMES)('returns a frame of %s that decompresses to the block, without calling a codec', async name => {
    const inner = new MemoryBlockstore()
    const block = text(50_000)
    const cid = await cidOf(block)
    await new CompressedBlockstore(inner, { codec: name }).put(cid, block)

    const { codec, size, payload } = await new CompressedBlockstore(inner, { codecs: lockedCodecs() }).getStored(cid)

    expect({ codec, size }).toEqual({ codec: name, size: block.byteLength })
    expect(payload.byteLength).toBeLessThan(block.byteLength)
    expect(await codecs[name]().decompress(payload, { size })).toEqual(block)
  })

  it('returns a block that is stored plain as it is', async () => {
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const block = noise(50_000)
    const cid = await cidOf(block)
    await store.put(cid, block)

    expect(await store.getStored(cid)).toEqual({ codec: 'none', size: block.byteLength, payload: block })
  })

  it('returns the block of an envelope that holds it uncompressed', async () => {
    const store = new CompressedBlockstore(new MemoryBlockstore())
    const block = encodeEnvelope({ code: IDENTITY_CODE, size: 40, payload: noise(40) })
    const cid = await cidOf(block)
    await store.put(cid, block)

    expect(await store.getStored(cid)).toEqual({ codec: 'none', size: block.byteLength, payload: block })
  })

  it('returns a plain block that begins like an envelope, in a store that was wrapped later', async () => {
    const inner = new MemoryBlockstore()
    const payload = await codecs.zstd().compress(text(1000))
    const block = encodeEnvelope({ code: codecs.zstd().code, size: 1000, payload })
    const cid = await cidOf(block)
    await inner.put(cid, block)

    expect(await new CompressedBlockstore(inner).getStored(cid))
      .toEqual({ codec: 'none', size: block.byteLength, payload: block })
  })

  it('refuses a plain block that is damaged', async () => {
    const inner = new MemoryBlockstore()
    const cid = await cidOf(noise(1000))
    await inner.put(cid, noise(999))

    await expect(new CompressedBlockstore(inner).getStored(cid)).rejects.toMatchObject({ name: 'CorruptBlockError' })
  })

  it('refuses an envelope that is cut short', async () => {
    const inner = new MemoryBlockstore()
    const cid = await cidOf(text(1000))
    await new CompressedBlockstore(inner).put(cid, text(1000))
    const [stored] = await Array.fromAsync(inner.get(cid))
    await inner.put(cid, stored.subarray(0, 4))

    await expect(new CompressedBlockstore(inner).getStored(cid)).rejects.toMatchObject({ name: 'CorruptBlockError' })
  })

  it('refuses a block that is missing with the error of the inner store', async () => {
    const store = new CompressedBlockstore(new MemoryBlockstore())

    await expect(store.getStored(await cidOf(text(10)))).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})
