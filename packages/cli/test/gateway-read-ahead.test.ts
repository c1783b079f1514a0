import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { ReadAhead } from '../src/gateway/read-ahead.ts'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/** A store that counts how many blocks were asked for. */
class CountingStore extends MemoryBlockstore {
  reads = 0

  override get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
    this.reads++

    return super.get(...args)
  }
}

describe('ReadAhead', () => {
  it('lets a response read ahead the less, the more responses run', async () => {
    const blockstore = new CountingStore()
    const files = ipfsz({ blockstore })
    const cid = await files.addBytes(noise(20 * MIB))
    const limited = new ReadAhead().limit(files)

    /** Blocks that are read for a client that takes the first piece alone. */
    const readsOf = async (): Promise<number> => {
      const before = blockstore.reads
      const reader = limited.cat(cid)[Symbol.asyncIterator]()
      await reader.next()
      readers.push(reader)

      return blockstore.reads - before
    }

    const readers: Array<AsyncIterator<Uint8Array>> = []
    const alone = await readsOf()

    for (let i = 0; i < 100; i++) {
      await readsOf()
    }

    expect(alone).toBeGreaterThan(8)
    // the first block and the next one
    expect(await readsOf()).toBeLessThan(5)

    await Promise.all(readers.map(async reader => reader.return?.()))
    // the root is remembered
    expect(await readsOf()).toBe(alone - 1)
  })

  it('counts those who read stored frames too', async () => {
    const blockstore = new CountingStore()
    const files = ipfsz({ blockstore })
    const given: Array<number | undefined> = []
    const limited = new ReadAhead().limit({
      stat: files.stat.bind(files),
      ls: files.ls.bind(files),
      cat: files.cat.bind(files),
      storedFile: async (_, options) => {
        given.push(options?.blockReadConcurrency)

        return {
          codec: 'zstd',
          size: 1,
          frameSize: 1,
          frameLengths: [1],
          length: 1,
          async * frames () { yield new Uint8Array(1) }
        }
      }
    })

    for (let i = 0; i < 20; i++) {
      const file = await limited.storedFile(undefined as unknown as CID)
      await file?.frames()[Symbol.asyncIterator]().next()
    }

    expect(given.slice(0, 10)).toEqual([...Array.from({ length: 8 }, () => undefined), 7, 6])
    expect(given.at(-1)).toBe(3)
  })
})
