import { FetchStalledError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NetworkBlockstore } from '../src/network/blockstore.ts'
import { fakeNetwork } from './fake-network.ts'
import { makeBlock } from './nodes.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { Network } from '../src/network/network.ts'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const root = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')

async function make (parts: Partial<Network> = {}, timeout = 1000): Promise<NetworkBlockstore> {
  const blockstore = await makeStore()
  onTestFinished(async () => { await removeStore(blockstore) })

  return new NetworkBlockstore({
    blockstore,
    network: async () => fakeNetwork(parts),
    root,
    timeout,
    signal: new AbortController().signal
  })
}

async function read (
  store: NetworkBlockstore,
  cid: CID,
  options?: Parameters<NetworkBlockstore['get']>[1]
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(store.get(cid, options)))
}

describe('NetworkBlockstore', () => {
  it('does not fetch a block that is in the repo', async () => {
    const fetch = vi.fn<Network['fetch']>()
    const store = await make({ fetch })
    const { cid, bytes } = await makeBlock(1)
    await store.put(cid, bytes)

    expect(Buffer.compare(await read(store, cid), bytes)).toBe(0)
    expect(fetch).not.toHaveBeenCalled()
  })

  it('fetches a missing block, and passes on its root and size', async () => {
    const { cid, bytes } = await makeBlock(1)
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes, peerId: PEER }))
    const store = await make({ fetch })
    const events: unknown[] = []

    expect(
      Buffer.compare(
        await read(store, cid, { expectedSize: bytes.byteLength, onProgress: event => { events.push(event) } }),
        bytes
      )
    ).toBe(0)
    expect(fetch).toHaveBeenCalledWith(cid, expect.objectContaining({ root, size: bytes.byteLength }))
    expect(store.fetched).toEqual({
      blocks: 1,
      bytes: bytes.byteLength,
      replaced: 0,
      peers: new Map([[PEER, { blocks: 1, bytes: bytes.byteLength }]])
    })
    expect(events).toMatchObject([{ type: 'helia:block-broker:receive-block', detail: { cid, broker: 'bitswap' } }])
  })

  it('stores the empty block without fetching it', async () => {
    const fetch = vi.fn<Network['fetch']>()
    const store = await make({ fetch })
    const cid = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

    expect((await read(store, cid, { offline: true })).byteLength).toBe(0)
    expect(fetch).not.toHaveBeenCalled()
    expect(await store.has(cid)).toBe(true)
  })

  it('refuses a missing block with the error of Helia when it is offline', async () => {
    const store = await make()
    const { cid } = await makeBlock(1)

    await expect(read(store, cid, { offline: true }))
      .rejects.toMatchObject({ name: 'BlockNotFoundWhileOfflineError', cid, cause: { name: 'NotFoundError' } })
    await expect(store.has(cid)).resolves.toBe(false)
  })

  it('returns the bytes of an identity CID', async () => {
    const store = await make()

    await expect(read(store, CID.createV1(raw.code, identity.digest(Buffer.from('abc')))))
      .resolves.toEqual(Buffer.from('abc'))
  })

  it('counts the time of earlier requests for a block towards the timeout', async () => {
    const timeouts: number[] = []
    const store = await make({
      async fetch (cid, { timeout }) {
        timeouts.push(timeout)
        throw new FetchStalledError(cid, timeout, { providers: 2 })
      }
    }, 60_000)
    const { cid } = await makeBlock(1)
    vi.useFakeTimers({ now: 1_000_000 })
    onTestFinished(() => { vi.useRealTimers() })

    await expect(read(store, cid)).rejects.toMatchObject({ name: 'FetchStalledError', time: 60_000, providers: 2 })
    vi.setSystemTime(1_020_000)
    await expect(read(store, cid)).rejects.toMatchObject({ name: 'FetchStalledError', time: 60_000 })

    expect(timeouts).toEqual([60_000, 40_000])
  })

  it('passes on an abort', async () => {
    const store = await make({
      async fetch (_, { signal }) {
        signal.throwIfAborted()
        throw new Error('not aborted')
      }
    })
    const { cid } = await makeBlock(1)

    await expect(read(store, cid, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})
