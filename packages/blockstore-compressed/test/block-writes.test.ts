import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { describe, expect, it } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { CompressedBlockstore, convert } from '../src/index.ts'
import { cidOf, failure, readBlock } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

interface Write {
  cid: string
  bytes: Uint8Array
  finish: () => void
}

/** A store whose puts finish only when told to. */
function slowStore (): { inner: MemoryBlockstore, writes: Write[], begun: (count: number) => Promise<void> } {
  const inner = new MemoryBlockstore()
  const put = inner.put.bind(inner)
  const writes: Write[] = []
  inner.put = async (cid, bytes, options) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    writes.push({ cid: cid.toString(), bytes: bytes as Uint8Array, finish: resolve })
    await promise

    return put(cid, bytes, options)
  }

  const begun = async (count: number): Promise<void> => {
    while (writes.length < count) {
      await turnOfLoop()
    }
  }

  return { inner, writes, begun }
}

async function turnOfLoop (): Promise<void> {
  await new Promise(resolve => { setImmediate(resolve) })
}

/** Wait for 50 turns of the event loop: a codec without workers or a thread pool is done by then. */
async function settled (): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await turnOfLoop()
  }
}

const BYTES = text(5000)

describe('writes of one block into one inner store', () => {
  it('run one after another, even from different CompressedBlockstores', async () => {
    const { inner, writes, begun } = slowStore()
    const cid = await cidOf(BYTES)
    const first = new CompressedBlockstore(inner).put(cid, BYTES)
    await begun(1)
    const second = new CompressedBlockstore(inner, { codec: 'none' }).put(cid, BYTES)
    await settled()

    expect(writes).toHaveLength(1)
    writes[0].finish()
    await first
    await begun(2)
    writes[1].finish()
    await second
    expect(await readBlock(inner, cid)).toEqual(BYTES)
  })

  it('run one after another if one comes from convert', async () => {
    const { inner, writes, begun } = slowStore()
    const cid = await cidOf(BYTES)
    const stored = new CompressedBlockstore(inner).put(cid, BYTES)
    await begun(1)
    writes[0].finish()
    await stored

    const converting = convert(inner, { codec: 'none' })
    await begun(2)
    const putting = new CompressedBlockstore(inner).put(cid, BYTES)
    await settled()

    expect(writes).toHaveLength(2)
    writes[1].finish()
    expect(await converting).toMatchObject({ converted: 1 })
    await begun(3)
    writes[2].finish()
    await putting
  })

  it('do not wait for writes of other blocks', async () => {
    const { inner, writes, begun } = slowStore()
    const store = new CompressedBlockstore(inner)
    const blocks = [text(5000, 1), text(5000, 2), text(5000, 3)]
    const puts = Promise.all(blocks.map(async bytes => store.put(await cidOf(bytes), bytes)))

    await begun(3)
    writes.forEach(({ finish }) => { finish() })
    await puts
  })

  it('reject with the reason if aborted while they wait, and later writes still wait for the first', async () => {
    const { inner, writes, begun } = slowStore()
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(inner, { codec: 'none' })
    const controller = new AbortController()
    const reason = new DOMException('enough', 'AbortError')
    const first = store.put(cid, BYTES)
    await begun(1)
    const second = failure(async () => store.put(cid, BYTES, { signal: controller.signal }))
    const third = store.put(cid, BYTES)
    await settled()
    controller.abort(reason)

    expect(await second).toBe(reason)
    await settled()
    expect(writes).toHaveLength(1)
    writes[0].finish()
    await first
    await begun(2)
    writes[1].finish()
    await third
    expect(writes).toHaveLength(2)
  })

  it('block later writes until the inner store is done, even if aborted', async () => {
    const { inner, writes, begun } = slowStore()
    const cid = await cidOf(BYTES)
    const controller = new AbortController()
    const first = failure(async () => new CompressedBlockstore(inner).put(cid, BYTES, { signal: controller.signal }))
    await begun(1)
    controller.abort()
    expect(await first).toMatchObject({ name: 'AbortError' })
    const second = new CompressedBlockstore(inner, { codec: 'none' }).put(cid, BYTES)
    await settled()

    expect(writes).toHaveLength(1)
    writes[0].finish()
    await begun(2)
    writes[1].finish()
    await second
  })

  it('continue after a failed write', async () => {
    const inner = new MemoryBlockstore()
    const put = inner.put.bind(inner)
    const err = new Error('full')
    let count = 0
    inner.put = async (...args) => {
      await turnOfLoop()

      if (++count === 1) {
        throw err
      }

      return put(...args)
    }
    const cid = await cidOf(BYTES)
    const store = new CompressedBlockstore(inner, { codec: 'none' })

    expect(await Promise.allSettled([store.put(cid, BYTES), store.put(cid, BYTES)]))
      .toMatchObject([{ status: 'rejected', reason: err }, { status: 'fulfilled' }])
  })

  it('write the same bytes as a batch in progress, without waiting for it', async () => {
    const { inner, writes, begun } = slowStore()
    const cid = await cidOf(BYTES)
    const pairs = [{ cid, bytes: BYTES }]
    const batch = Array.fromAsync(new CompressedBlockstore(inner).putMany(pairs))
    await begun(1)
    const other = Array.fromAsync(new CompressedBlockstore(inner, { codec: 'none' }).putMany(pairs))
    await begun(2)
    const put = new CompressedBlockstore(inner, { codec: 'gzip' }).put(cid, BYTES)
    await begun(3)
    writes.forEach(({ finish }) => { finish() })
    await Promise.all([batch, other, put])

    expect(writes[0].bytes.byteLength).toBeLessThan(BYTES.byteLength)
    expect(writes[1].bytes).toEqual(writes[0].bytes)
    expect(writes[2].bytes).toEqual(writes[0].bytes)

    // later writes use their own codec again
    const last = new CompressedBlockstore(inner, { codec: 'none' }).put(cid, BYTES)
    await begun(4)
    writes[3].finish()
    await last
    expect(await readBlock(inner, cid)).toEqual(BYTES)
  })

  it('damage no files, with two codecs and a conversion at the same time', { tags: 'slow' }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-compressed-'))
    const inner = new FsBlockstore(directory)
    const stores = [new CompressedBlockstore(inner), new CompressedBlockstore(inner, { codec: 'none' })]
    const blocks = await Promise.all(Array.from({ length: 20 }, async (_, i): Promise<[CID, Uint8Array]> => {
      const bytes = text(300_000, i + 1)

      return [await cidOf(bytes), bytes]
    }))

    await Promise.all(blocks.map(async ([cid, bytes]) => stores[0].put(cid, bytes)))
    await Promise.all([
      convert(inner, { codec: 'lz4' }),
      ...stores.flatMap(store => blocks.map(async ([cid, bytes]) => store.put(cid, bytes))),
      ...stores.map(async store => Array.fromAsync(store.putMany(blocks.map(([cid, bytes]) => ({ cid, bytes })))))
    ])

    for (const [cid, bytes] of blocks) {
      expect(await readBlock(stores[0], cid)).toEqual(bytes)
    }

    await rm(directory, { recursive: true })
  })
})
