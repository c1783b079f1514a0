import { ipfsz } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PeerSearches, PeerSource } from '../src/network/sources/peer-source.ts'
import { repairDag } from '../src/dag/repair-dag.ts'
import { fakeNetwork, fetchNothing } from '../../../test/support/fake-network.ts'
import { makeStore, removeStore } from './temporary.ts'
import type { ConnectedPeer, FetchOptions, Network } from '../src/network/network.ts'
import type { RepairedBlock } from '../src/dag/repair-dag.ts'
import type { Blockstore } from 'interface-blockstore'

const LEAVES = 100
/** How many blocks repair asks for at once. */
const AT_ONE_TIME = 16
const PEER: ConnectedPeer = { peerId: '12D3KooWother', address: '/ip4/127.0.0.1/tcp/1', direction: 'outbound' }
const { signal } = new AbortController()

interface Repo {
  blockstore: Blockstore
  roots: CID[]
  bytes: Map<string, Uint8Array>
}

/** A repo whose roots have lost all of their leaves. No two leaves are the same. */
async function withoutLeaves (count: number): Promise<Repo> {
  const blockstore = await makeStore()
  onTestFinished(async () => { await removeStore(blockstore) })
  const roots: CID[] = []
  const bytes = new Map<string, Uint8Array>()

  for (let root = 0; root < count; root++) {
    const leaves = await Promise.all(Array.from({ length: LEAVES }, async (_, i) => {
      const leaf = Buffer.from(`leaf ${i} of ${root}`)
      const cid = CID.createV1(raw.code, await sha256.digest(leaf))
      bytes.set(cid.toString(), leaf)

      return cid
    }))
    const block = dagPb.encode({
      Data: new UnixFS({ type: 'file' }).marshal(),
      Links: leaves.map(Hash => ({ Name: '', Hash }))
    })
    const cid = CID.createV1(dagPb.code, await sha256.digest(block))
    await blockstore.put(cid, block)
    roots.push(cid)
  }

  return { blockstore, roots, bytes }
}

interface Repaired {
  blocks: RepairedBlock[]
  /** The options of every fetch from the network, by root. */
  asked: FetchOptions[][]
}

/** Repair the roots one after the other, as the command does. */
async function repair ({ blockstore, roots }: Repo, parts: Partial<Network>): Promise<Repaired> {
  const searches = new PeerSearches()
  const asked: FetchOptions[][] = []
  const blocks: RepairedBlock[] = []
  const network = fakeNetwork(parts)

  for (const root of roots) {
    const calls: FetchOptions[] = []
    asked.push(calls)
    const source = new PeerSource({
      network: async () => ({
        ...network,
        fetch: async (cid, options) => { calls.push(options); return network.fetch(cid, options) }
      }),
      root,
      store: false,
      searches
    })
    const blocksBelow = ipfsz({ blockstore, sources: [source] }, { fetch: { timeout: 200 } }).blocks(root)
    const fetch = async (cid: CID): Promise<Uint8Array | undefined> => Array.fromAsync(
      blocksBelow.get(cid)
    ).then(pieces => Buffer.concat(pieces), () => undefined)

    for await (const block of repairDag(root, blockstore, { signal, fetch })) {
      blocks.push(block)
    }
  }

  return { blocks, asked }
}

function searches (asked: FetchOptions[]): number {
  return asked.filter(({ search }) => search === 'all').length
}

describe('the repair of lost blocks', () => {
  it('waits for a search once per root, however many blocks are lost below it', async () => {
    const { blocks, asked } = await repair(await withoutLeaves(2), { peers: async () => [PEER] })

    expect(blocks.filter(({ good }) => !good)).toHaveLength(2 * LEAVES)
    // the blocks of one batch search at the same time
    asked.forEach(calls => {
      expect(searches(calls)).toBeGreaterThan(0)
      expect(searches(calls)).toBeLessThanOrEqual(AT_ONE_TIME)
      expect(calls).toHaveLength(LEAVES)
    })
  })

  it('waits for only one search for all roots when no peer is connected', async () => {
    const { blocks, asked } = await repair(await withoutLeaves(5), { peers: async () => [] })

    expect(blocks.filter(({ good }) => !good)).toHaveLength(5 * LEAVES)
    expect(searches(asked[0])).toBeLessThanOrEqual(AT_ONE_TIME)
    expect(asked.slice(1).map(searches)).toEqual([0, 0, 0, 0])
  })

  it('searches again for the next root when a peer has connected meanwhile', async () => {
    const repo = await withoutLeaves(2)
    let fetched = 0

    const { asked } = await repair(repo, {
      // a peer is connected from the second root on
      peers: async () => fetched < LEAVES ? [] : [PEER],
      async fetch (cid, options) {
        fetched++
        return fetchNothing(cid, options)
      }
    })

    expect(asked.map(calls => searches(calls) > 0)).toEqual([true, true])
  })

  it('still asks known peers for the other blocks after a search failed, and keeps what they send', async () => {
    const repo = await withoutLeaves(1)
    const lost = [...repo.bytes.keys()][LEAVES - 1]

    const { blocks } = await repair(repo, {
      peers: async () => [PEER],
      async fetch (cid, options) {
        const bytes = repo.bytes.get(cid.toString())

        if (bytes == null || cid.toString() === lost) {
          return fetchNothing(cid, options)
        }

        return { bytes, sender: PEER.peerId }
      }
    })

    expect(blocks.filter(({ good }) => !good).map(({ cid }) => cid.toString())).toEqual([lost])
    expect(blocks.filter(({ found, good }) => found === 'missing' && good)).toHaveLength(LEAVES - 1)
  })
})
