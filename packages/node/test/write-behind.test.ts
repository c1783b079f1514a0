import { createHook } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { writingBehind } from '../src/repo/write-behind.ts'
import { makeBlock, makeBlocks } from './nodes.ts'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024

/** A store that writes a block when it is let to. */
function slowStore (): { store: MemoryBlockstore, started: CID[], write: () => void, fail: (err: Error) => void } {
  const store = new MemoryBlockstore()
  const allowed = Promise.withResolvers<void>()
  const started: CID[] = []
  const put = store.put.bind(store)
  store.put = (async (cid: CID, bytes: Uint8Array) => {
    started.push(cid)
    await allowed.promise

    return put(cid, bytes)
  }) as unknown as typeof store.put

  return { store, started, write: allowed.resolve, fail: allowed.reject }
}

describe('writingBehind', () => {
  it('does not wait for a block to be written, and reads it meanwhile', async () => {
    const { store, started, write } = slowStore()
    const { cid, bytes } = await makeBlock(1)

    await writingBehind(store, async blocks => {
      await blocks.put(cid, bytes)
      await expect(blocks.has(cid)).resolves.toBe(true)
      await expect(Array.fromAsync(blocks.get(cid))).resolves.toEqual([bytes])
      expect(await store.has(cid)).toBe(false)
      write()
    })

    expect(started).toEqual([cid])
    expect(await store.has(cid)).toBe(true)
  })

  it('waits once 8 MiB are being written', async () => {
    const { store, started, write } = slowStore()
    const blocks = await makeBlocks(10, MIB)

    await writingBehind(store, async behind => {
      let count = 0
      const all = Promise.all(blocks.slice(0, 9).map(async ({ cid, bytes }) => {
        await behind.put(cid, bytes)
        count++
      }))
      await setImmediate()
      expect([started.length, count]).toEqual([9, 8])
      write()
      await all
      await behind.put(blocks[9].cid, blocks[9].bytes)
    })

    expect(await store.has(blocks[9].cid)).toBe(true)
  })

  it('does as much for each of many blocks that wait as for one', async () => {
    const { store, write } = slowStore()
    // 128 are written at a time
    const blocks = await makeBlocks(200)
    let promises = 0
    const hook = createHook({ init: (_, type) => { promises += type === 'PROMISE' ? 1 : 0 } })

    await writingBehind(store, async behind => {
      hook.enable()
      const all = Promise.all(blocks.map(async ({ cid, bytes }) => behind.put(cid, bytes)))
      write()
      await all
    }).finally(() => { hook.disable() })

    expect(promises).toBeLessThan(25 * blocks.length)
  })

  it('refuses to end well if a block could not be written', async () => {
    const { store, fail } = slowStore()
    const [first, second] = await makeBlocks(2)
    const working = writingBehind(store, async blocks => {
      await blocks.put(first.cid, first.bytes)
      fail(new Error('the disk is full'))
    })

    await expect(working).rejects.toThrow('the disk is full')
    await expect(writingBehind(store, async blocks => {
      await blocks.put(first.cid, first.bytes)
      await setImmediate()
      await blocks.put(second.cid, second.bytes)
    })).rejects.toThrow('the disk is full')
  })

  it('waits for blocks that are being written when the work fails', async () => {
    const { store, write } = slowStore()
    const { cid, bytes } = await makeBlock(1)
    const working = writingBehind(store, async blocks => {
      await blocks.put(cid, bytes)
      setTimeout(write, 0)
      throw new Error('interrupted')
    })

    await expect(working).rejects.toThrow('interrupted')
    expect(await store.has(cid)).toBe(true)
  })
})
