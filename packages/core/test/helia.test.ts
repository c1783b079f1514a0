import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { describe, expect, it } from 'vitest'
import { ipfsz, markerCodecs, unmark } from '../src/index.ts'
import { collect, text } from './fixtures.ts'

// createHeliaLight has no network

describe('a compressed file on a Helia node', () => {
  it('is read from its store without asking whether each block is there', async () => {
    const blockstore = new MemoryBlockstore()
    const helia = await createHeliaLight({ blockstore }).start()
    const bytes = text(1_000_000)
    const cid = await ipfsz(helia).addBytes(bytes)
    let asked = 0
    blockstore.has = () => {
      asked++

      return true
    }

    expect(Buffer.compare(await collect(ipfsz(helia).cat(cid)), bytes)).toBe(0)
    expect(asked).toBe(0)
    await helia.stop()
  })

  it('is fetched where the store fails in a way of its own if a block is missing', async () => {
    const remote = new MemoryBlockstore()
    const bytes = text(1_000_000)
    const cid = await ipfsz({ blockstore: remote }).addBytes(bytes)

    // as S3Blockstore of blockstore-s3 4.0.1 does
    class StrangeStore extends MemoryBlockstore {
      override async * get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
        if (!await this.has(args[0])) {
          throw Object.assign(new Error('NoSuchKey'), { name: 'GetFailedError' })
        }

        yield * super.get(...args)
      }
    }

    const helia = await createHeliaLight({ blockstore: new StrangeStore() }).start()
    helia.addBlockBroker({
      name: 'test',
      retrieve: async wanted => Buffer.concat(await Array.fromAsync(remote.get(wanted)))
    })

    expect(Buffer.compare(await collect(ipfsz(helia).cat(cid)), bytes)).toBe(0)
    await helia.stop()
  })

  it('is pinned by its marked CID, keeps its blocks when garbage is collected, and reads back', async () => {
    const helia = await createHeliaLight({ codecs: markerCodecs }).start()
    const fs = ipfsz(helia)
    const bytes = text(1_000_000)
    const kept = await fs.addBytes(bytes)
    const dropped = await fs.addBytes(text(1_000_000, 2))

    const pinned = await Array.fromAsync(helia.pins.add(kept))
    await helia.gc()

    expect(pinned.length).toBeGreaterThan(1)
    expect(Buffer.compare(await collect(fs.cat(kept)), bytes)).toBe(0)
    expect(await helia.blockstore.has(unmark(dropped))).toBe(false)
    await expect(
      collect(fs.cat(dropped, { offline: true }))
    ).rejects.toMatchObject({ name: 'BlockNotFoundWhileOfflineError' })
    await helia.stop()
  })

  it('is read and pinned by a node without IPFSz, by its plain CID', async () => {
    const blockstore = new MemoryBlockstore()
    const helia = await createHeliaLight({ blockstore }).start()
    const cid = await ipfsz(helia).addBytes(text(1_000_000))
    const stock = await createHeliaLight({ blockstore }).start()

    const stream = await collect(unixfs(stock).cat(unmark(cid)))
    const { storedSize } = await ipfsz(helia).stat(cid)

    expect(stream.byteLength).toBeLessThan(Number(storedSize))
    expect(Buffer.from(stream.subarray(0, 4)).toString('hex')).toBe('28b52ffd')
    await Array.fromAsync(stock.pins.add(unmark(cid)))
    expect(await stock.pins.isPinned(unmark(cid))).toBe(true)
    await Promise.all([helia.stop(), stock.stop()])
  })
})
