import { setImmediate } from 'node:timers/promises'
import { MemoryBlockstore } from 'blockstore-core'
import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { collect, noise, text } from './fixtures.ts'
import type { Codec } from '@ipfsz/codecs'

const MIB = 1024 * 1024

/** Copies what it is given after a while, and remembers it. */
class CopyingStore extends MemoryBlockstore {
  readonly given: Uint8Array[] = []

  override async put (...[cid, bytes]: Parameters<MemoryBlockstore['put']>): Promise<typeof cid> {
    this.given.push(bytes as Uint8Array)
    await setImmediate()
    await super.put(cid, (bytes as Uint8Array).slice())

    return cid
  }

  get freed (): number {
    return this.given.filter(({ byteLength }) => byteLength === 0).length
  }
}

class ReleasingStore extends CopyingStore {
  readonly releasesBlocks = true
}

/** Frames of 4 MiB, each of which takes three leaves. */
function frames (count: number): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, (_, i) => Buffer.concat([noise(2 * MIB, i + 1), text(2 * MIB)])))
}

describe('the memory of stored frames', () => {
  it('is freed if the store has released it', { tags: 'slow' }, async () => {
    const blockstore = new ReleasingStore()
    const fs = ipfsz({ blockstore })
    const bytes = frames(4)
    const cid = await fs.addBytes(bytes)

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    // all but the seek table and the root
    expect(blockstore.freed).toBe(12)
    expect(blockstore.given.length).toBe(14)
  })

  it('stays if the store may keep it', { tags: 'slow' }, async () => {
    const blockstore = new CopyingStore()
    await ipfsz({ blockstore }).addBytes(frames(3))

    expect(blockstore.freed).toBe(0)
  })

  it('stays if it is short, and shares the memory of small buffers', { tags: 'slow' }, async () => {
    const blockstore = new ReleasingStore()
    const fs = ipfsz({ blockstore })
    // what follows does not fit into its leaf
    const bytes = Buffer.concat([Buffer.alloc(4 * MIB), noise(4 * MIB), Buffer.alloc(4 * MIB), noise(4 * MIB)])
    const small = Buffer.from('in the same memory')
    const cid = await fs.addBytes(bytes)

    expect(Buffer.compare(await collect(fs.cat(cid)), bytes)).toBe(0)
    expect(small.toString()).toBe('in the same memory')
  })

  it('stays if the codec gave back what it was given', { tags: 'slow' }, async () => {
    const inner = zstd()
    // in memory that holds the result of a codec
    const bytes = (await inner.compress(noise(12 * MIB))).subarray(16)
    let calls = 0
    const codec: Codec = {
      ...inner,
      // until it is decided that the file shrinks: by its beginning, and its first frame
      compress: async (piece, options) => calls++ < 2 ? inner.compress(text(piece.byteLength), options) : piece
    }
    const blockstore = new ReleasingStore()
    await ipfsz({ blockstore }, { codecs: [codec] }).addBytes(bytes, { compression: { codec: 'zstd' } })

    expect(calls).toBeGreaterThan(3)
    expect(bytes.byteLength).toBeGreaterThan(11 * MIB)
  })
})
