import { MemoryBlockstore } from 'blockstore-core'
import { zstd } from '@ipfsz/codecs/zstd'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { encodeEnvelope } from '../src/value/envelope.ts'
import { cidOf, failure, only, readBlock } from './fixtures.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'
import type { MultihashHasher } from 'multiformats/hashes/interface'
import type { Verify } from '../src/index.ts'

const VERIFY: readonly Verify[] = ['hash', 'length', 'none']

/** Returns copies of its blocks, in one piece or two, and keeps them. */
class CopyingStore extends MemoryBlockstore {
  readonly freshBlocks: boolean
  readonly returned: Uint8Array[] = []
  readonly #pieces: number

  constructor (init: { freshBlocks?: boolean, pieces?: number } = {}) {
    super()
    this.freshBlocks = init.freshBlocks ?? false
    this.#pieces = init.pieces ?? 1
  }

  override * get (...args: Parameters<MemoryBlockstore['get']>): Generator<Uint8Array> {
    for (const block of super.get(...args) as Iterable<Uint8Array>) {
      const length = Math.ceil(block.byteLength / this.#pieces)

      for (let start = 0; start < block.byteLength; start += length) {
        const piece = new Uint8Array(block.subarray(start, start + length))
        this.returned.push(piece)
        yield piece
      }
    }
  }
}

async function put (inner: CopyingStore, bytes: Uint8Array): Promise<CID> {
  return new CompressedBlockstore(inner).put(await cidOf(bytes), bytes)
}

function freed ({ returned }: CopyingStore): boolean[] {
  return returned.map(({ byteLength }) => byteLength === 0)
}

describe('the memory of a CompressedBlockstore', () => {
  it.each(VERIFY)('of stored values is freed, if nobody else has it: verify %s', async verify => {
    const inner = new CopyingStore({ freshBlocks: true })
    const store = new CompressedBlockstore(inner, { verify })
    const bytes = text(100_000)
    const cid = await put(inner, bytes)

    expect(await readBlock(store, cid)).toEqual(bytes)
    // also when the store knows that this block does not begin like an envelope
    expect(await readBlock(store, cid)).toEqual(bytes)

    for await (const pair of store.getMany([cid])) {
      expect(await only(pair.bytes)).toEqual(bytes)
    }

    expect(freed(inner)).toEqual([true, true, true])
  })

  it.each(VERIFY)('of stored values is not freed if the inner store may need it: verify %s', async verify => {
    const bytes = text(100_000)

    for (const inner of [new CopyingStore(), new CopyingStore({ pieces: 2 })]) {
      const cid = await put(inner, bytes)
      await readBlock(new CompressedBlockstore(inner, { verify }), cid)

      expect(new Set(freed(inner))).toEqual(new Set([false]))
    }
  })

  it.each(VERIFY)('is the caller\'s if a block is stored as it is: verify %s', async verify => {
    const inner = new CopyingStore({ freshBlocks: true })
    // the second one is in an envelope, since it begins like one
    const blocks = [noise(50_000), Uint8Array.of(0x82, 0xb4, 0xfd, 0x01, ...noise(50_000))]

    for (const bytes of blocks) {
      const cid = await put(inner, bytes)
      expect(await readBlock(new CompressedBlockstore(inner, { verify }), cid)).toEqual(bytes)
    }

    expect(freed(inner)).toEqual([false, false])
  })

  it('is not freed for a value that is returned as it is stored, or is damaged', async () => {
    const inner = new CopyingStore({ freshBlocks: true })
    const store = new CompressedBlockstore(inner)
    const cid = await put(inner, text(100_000))
    const { payload } = await store.getStored(cid)
    const other = await cidOf(text(100_000, 2))
    const [value] = inner.returned
    inner.put(other, new Uint8Array(value))
    expect((await failure(async () => readBlock(store, other))).name).toBe('CorruptBlockError')

    expect(payload.byteLength).toBeGreaterThan(0)
    expect(freed(inner)).toEqual([false, false])
  })

  it.each(['length', 'none'] as const)('is no codec\'s any more once its reader has it: verify %s', async verify => {
    const inner = new CopyingStore({ freshBlocks: true })
    // a block that another store put, and that begins like an envelope of a frame
    const frame = await zstd().compress(text(100_000))
    const bytes = encodeEnvelope({ code: zstd().code, size: 100_000, payload: frame })
    const cid = await cidOf(bytes)
    inner.put(cid, bytes)
    const hashed = Promise.withResolvers<void>()
    const hasher: MultihashHasher = {
      ...sha256,
      async digest (...args) {
        const digest = await sha256.digest(...args)
        // after whoever waits for the hash alone
        setImmediate(hashed.resolve)

        return digest
      }
    }
    let isReading = false
    const codec: Codec = {
      ...zstd(),
      async decompress (...args) {
        isReading = true
        await hashed.promise
        isReading = false

        return zstd().decompress(...args)
      }
    }
    const store = new CompressedBlockstore(inner, { verify, codecs: [codec], hashers: [hasher] })

    expect(await readBlock(store, cid)).toEqual(bytes)
    expect(isReading).toBe(false)
  })

  it('of a block is its reader\'s if the inner store says so of its own', () => {
    for (const freshBlocks of [true, false]) {
      expect(new CompressedBlockstore(new CopyingStore({ freshBlocks })).freshBlocks).toBe(freshBlocks)
    }

    expect(new CompressedBlockstore(new MemoryBlockstore()).freshBlocks).toBe(false)
  })

  it('that was put is its caller\'s again if the inner store says so', () => {
    const inner = Object.assign(new MemoryBlockstore(), { releasesBlocks: true })

    expect(new CompressedBlockstore(inner).releasesBlocks).toBe(true)
    expect(new CompressedBlockstore(new MemoryBlockstore()).releasesBlocks).toBe(false)
  })
})

describe('a CompressedBlockstore', () => {
  it('says that it checks its blocks if it compares them with their hashes', () => {
    expect(VERIFY.map(verify => new CompressedBlockstore(new MemoryBlockstore(), { verify }).checksBlocks))
      .toEqual([true, false, false])
  })
})
