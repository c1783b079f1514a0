import { ipfsz } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FetchedStats } from '../src/network/fetched-stats.ts'
import { PeerSource } from '../src/network/sources/peer-source.ts'
import { fakeNetwork, fetchNothing } from '../../../test/support/fake-network.ts'
import { makeBlock } from './nodes.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { Network } from '../src/network/network.ts'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const root = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
const { signal } = new AbortController()

function make (parts: Partial<Network>): PeerSource {
  return new PeerSource({ network: async () => fakeNetwork(parts), root })
}

describe('a peer source', () => {
  it('asks for the blocks below its root, whatever is read, and says who sent them', async () => {
    const { cid, bytes } = await makeBlock(1)
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes, sender: PEER, verified: true }))

    await expect(make({ fetch }).fetch(cid, { root: cid, size: bytes.byteLength, signal }))
      .resolves.toEqual({ bytes, sender: PEER, verified: true, stored: true })
    expect(fetch).toHaveBeenCalledWith(cid, { root, size: bytes.byteLength, search: 'all', store: true, signal })
  })

  it('searches until nothing arrives for the timeout, then asks known peers, and fails with that time', async () => {
    const { cid } = await makeBlock(1)
    const controller = new AbortController()
    const searches: unknown[] = []
    const source = make({
      fetch: async (cid, options) => {
        searches.push(options.search)
        return fetchNothing(cid, options)
      },
      peers: async () => [{ peerId: PEER, address: '/ip4/127.0.0.1/tcp/1', direction: 'outbound' }],
      providerCount: async () => 2
    })

    const first = source.fetch(cid, { root, signal: controller.signal })
    await expect.poll(() => searches).toEqual(['all'])
    await expect(source.gaveUp(root, 60_000)).resolves.toBe(2)
    controller.abort()

    await expect(source.fetch(cid, { root, signal })).rejects.toMatchObject(
      { name: 'FetchStalledError', time: 60_000, providers: 2, cause: { name: 'NotFoundError' } }
    )
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    expect(searches).toEqual(['all', 'lost'])
  })

  it('looks for peers that went away once, and again after a block has arrived', async () => {
    const [{ cid }, { cid: there, bytes }] = [await makeBlock(1), await makeBlock(2)]
    const searches: unknown[] = []
    const source = make({
      peers: async () => [{ peerId: PEER, address: '/ip4/127.0.0.1/tcp/1', direction: 'outbound' }],
      fetch: async (asked, { search, signal }) => {
        searches.push(search)

        if (asked.equals(there)) {
          return { bytes, sender: PEER }
        }

        return new Promise((_, reject) => { signal.addEventListener('abort', () => { reject(signal.reason) }) })
      }
    })
    const giveUp = async (): Promise<void> => {
      const asked = searches.length
      const controller = new AbortController()
      const fetching = source.fetch(cid, { root, signal: controller.signal })
      await expect.poll(() => searches.length).toBe(asked + 1)
      await source.gaveUp(root, 1000)
      controller.abort()
      await expect(fetching).rejects.toMatchObject({ name: 'AbortError' })
    }

    await giveUp()
    await giveUp()
    await giveUp()
    await source.fetch(there, { root, signal })
    await giveUp()

    expect(searches).toEqual(['all', 'lost', 'none', 'none', 'lost'])
  })

  it('goes on searching after a fetch that was only aborted', async () => {
    const { cid, bytes } = await makeBlock(1)
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes, sender: PEER }))
    const source = make({ fetch })

    await expect(source.fetch(cid, { root, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await source.fetch(cid, { root, signal })

    expect(fetch.mock.calls.map(([, { search }]) => search)).toEqual(['all'])
  })

  it('passes on the error of a network that cannot be opened', async () => {
    const { cid } = await makeBlock(1)
    const source = new PeerSource({ network: async () => { throw new Error('no daemon') }, root })

    await expect(source.fetch(cid, { root, signal })).rejects.toThrow('no daemon')
  })
})

describe('a repo with a peer source', () => {
  it('does not ask for what it has, and fetches the rest', async () => {
    const blockstore = await makeStore()
    onTestFinished(async () => { await removeStore(blockstore) })
    const [here, there] = [await makeBlock(1), await makeBlock(2)]
    await blockstore.put(here.cid, here.bytes)
    const fetched = new FetchedStats()
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes: there.bytes, sender: PEER }))
    const blocks = ipfsz({ blockstore, sources: [fetched.count(make({ fetch }), signal)] }).blocks(root)

    for (const { cid, bytes } of [here, there]) {
      expect(Buffer.concat(await Array.fromAsync(blocks.get(cid))).equals(bytes)).toBe(true)
    }

    expect(fetch).toHaveBeenCalledOnce()
    expect(fetched).toMatchObject({
      blocks: 1,
      bytes: there.bytes.byteLength,
      replaced: 0,
      senders: new Map([[PEER, { blocks: 1, bytes: there.bytes.byteLength }]])
    })
  })

  it('tells the source what is here', async () => {
    const blockstore = await makeStore()
    onTestFinished(async () => { await removeStore(blockstore) })
    const { cid, bytes } = await makeBlock(1)
    await blockstore.put(cid, bytes)
    const found = vi.fn()
    const source = new FetchedStats().count({ fetch: async () => { throw new Error('it is here') }, found }, signal)

    await Array.fromAsync(ipfsz({ blockstore, sources: [source] }).blocks(root).get(cid))

    expect(found.mock.calls.map(([found]) => String(found))).toEqual([String(cid)])
  })

  it('ends its fetches when the command ends', async () => {
    const { cid } = await makeBlock(1)
    const command = new AbortController()
    const fetch = vi.fn(fakeNetwork().fetch)
    const fetching = new FetchedStats().count(make({ fetch }), command.signal).fetch(cid, { root, signal })

    await expect.poll(() => fetch.mock.calls.length).toBe(1)
    command.abort(new Error('Ctrl-C'))

    await expect(fetching).rejects.toThrow('Ctrl-C')
  })
})
