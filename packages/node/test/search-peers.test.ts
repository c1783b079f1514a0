import { setImmediate } from 'node:timers/promises'
import { generateKeyPair } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { describe, expect, it, onTestFinished } from 'vitest'
import { searchPeers } from '../src/network/bitswap/search-peers.ts'
import { makeBlock } from './nodes.ts'
import type { SearchPeersInit } from '../src/network/bitswap/search-peers.ts'
import type { WantListener } from '../src/network/bitswap/wants.ts'
import type { PeerId } from '@libp2p/interface'

/** A search of a node with some connected peers, and a DHT that knows nobody. */
async function search (peerCount: number, names?: (peers: readonly PeerId[]) => readonly PeerId[]) {
  const peers = await Promise.all(Array.from({ length: peerCount }, async () =>
    peerIdFromPrivateKey(await generateKeyPair('Ed25519'))))
  const asked = Promise.withResolvers<void>()
  const ended = new AbortController()
  const having = new Set<PeerId>()
  const exhausted = Promise.withResolvers<void>()
  let queries = 0
  let listener: WantListener | undefined
  const lan = {
    routingTable: { size: 1, kb: { count: () => 1 } },
    async * findProviders () {
      queries++
      asked.resolve()
      yield * []
    }
  }

  onTestFinished(() => { ended.abort() })
  const { cid } = await makeBlock(1)
  searchPeers(cid, {
    libp2p: { peerId: peers[0], getPeers: () => peers, services: { lan, wan: { routingTable: { size: 0 } } } },
    wants: {
      peers: () => peers,
      send: async () => {},
      cancel: async () => {},
      onPeer: () => () => {},
      listen: (_: unknown, listening: WantListener) => {
        listener = listening

        return () => {}
      }
    },
    early: undefined,
    signal: ended.signal,
    count: () => having.size,
    isIn: (id: PeerId) => having.has(id),
    lost: () => [],
    found: (id: PeerId) => { having.add(id) },
    lacks: (id: PeerId) => { having.delete(id) },
    isLacking: () => false,
    isVain: false,
    named: () => names?.(peers).map(String) ?? [],
    exhausted: exhausted.resolve,
    forgetLacks: () => {}
  } as unknown as SearchPeersInit).catch(() => {})

  return {
    peers,
    answer: (peer: PeerId, has: boolean) => listener?.presence?.(has, peer),
    /** How often the DHT was asked. */
    queries: () => queries,
    /** Resolves when it was. */
    asked: asked.promise,
    /** Resolves when it has given up. */
    exhausted: exhausted.promise
  }
}

/** Let everything go on that waits for nothing else. */
async function turns (): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await setImmediate()
  }
}

describe('searchPeers', () => {
  it('asks a DHT at once when the only peers that are connected do not have the block', async () => {
    const { peers, answer, queries, asked } = await search(3)
    await turns()
    expect(queries()).to.equal(0)

    peers.forEach(peer => answer(peer, false))
    await asked
  })

  it('asks no DHT while a peer that has the block may send it', async () => {
    const { peers, answer, queries } = await search(3)
    answer(peers[0], false)
    answer(peers[1], true)
    answer(peers[2], false)
    await turns()

    expect(queries()).to.equal(0)
  })

  it('asks a DHT when the peer that had the block has it no more', async () => {
    const { peers, answer, queries, asked } = await search(2)
    answer(peers[0], true)
    answer(peers[1], false)
    await turns()
    expect(queries()).to.equal(0)

    answer(peers[0], false)
    await asked
  })

  it('asks a DHT though peers say nothing', async () => {
    const { asked } = await search(2)

    await asked
  })

  it('asks a DHT beside many peers', async () => {
    const { queries } = await search(40)
    await turns()

    expect(queries()).to.equal(1)
  })

  it('gives up once all named peers lack the block and the DHT knows nobody, though others say nothing', async () => {
    const { peers, answer, exhausted, queries } = await search(3, peers => peers.slice(0, 2))
    answer(peers[0], false)
    answer(peers[1], false)
    await exhausted

    expect(queries()).to.equal(1)
  })

  it('does not give up while a named peer says nothing, or if none is named', async () => {
    for (const count of [2, 0]) {
      const { peers, answer, exhausted, queries } = await search(3, peers => peers.slice(0, count))
      let hasEnded = false
      exhausted.finally(() => { hasEnded = true }).catch(() => {})
      answer(peers[0], false)
      await expect.poll(queries).toBeGreaterThan(2)

      expect(hasEnded).to.equal(false)
    }
  })
})
