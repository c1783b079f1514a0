import { unixfs } from '@helia/unixfs'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, text } from './fixtures.ts'

describe('reading along a path', () => {
  it('refuses a directory that does not match its CID', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await fs.addFile({ path: 'a.txt', content: text(10_000) })
    const other = await unixfs({ blockstore }).addFile({ path: 'a.txt', content: text(10_000, 2) })
    await blockstore.put(unmark(tree), await getBlock(other, blockstore))

    for (const cid of [tree, unmark(tree)]) {
      await expect(collect(fs.cat(cid, { path: 'a.txt' }))).rejects.toMatchObject({ name: 'CorruptBlockError' })
      await expect(fs.stat(cid, { path: 'a.txt' })).rejects.toMatchObject({ name: 'CorruptBlockError' })
    }
  })

  it('ends if the signal aborts while the blockstore stalls', async () => {
    const tree = await ipfsz({ blockstore: new CountingBlockstore() }).addFile({ path: 'a.txt', content: text(10_000) })
    const blockstore = new CountingBlockstore()
    blockstore.get = async function * () { yield await new Promise<Uint8Array>(() => {}) }
    const fs = ipfsz({ blockstore })

    for (const read of [
      async (signal: AbortSignal) => collect(fs.cat(tree, { path: 'a.txt', signal })),
      async (signal: AbortSignal) => fs.stat(tree, { path: 'a.txt', signal })
    ]) {
      const controller = new AbortController()
      const reading = read(controller.signal)
      setTimeout(() => { controller.abort() }, 10)
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    }
  })
})
