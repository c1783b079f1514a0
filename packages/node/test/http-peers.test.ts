import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BlockSources } from '../src/network/sources/block-sources.ts'
import { DaemonClient } from '../src/daemon/daemon-client.ts'
import { serveBlocks } from '../src/daemon/serve-blocks.ts'
import { serveNetwork } from '../src/daemon/server.ts'
import { NodeNetwork } from '../src/network/node/node-network.ts'
import { noise } from '../../../test/support/data.ts'
import { testNode } from './nodes.ts'
import type { Network } from '../src/network/network.ts'
import type { Node } from '../src/network/node/node.ts'
import type { Repo } from '../src/repo/repo.ts'
import type { CID } from 'multiformats/cid'

const BYTES = noise(6_000_000)

interface Provider {
  node: Node
  cid: CID
  /** Serve nothing over HTTP any longer. */
  stop: () => Promise<void>
}

/** A node with a file of 6 blocks and a root. */
async function provider (overHttp: boolean): Promise<Provider> {
  const node = await testNode()
  const { blockstore } = node.helia
  const cid = await ipfsz({ blockstore }).addBytes(BYTES, { compression: { codec: 'none' } })

  const stop = overHttp
    ? await serveBlocks(node.libp2p, { blockstore } as unknown as Repo, () => {})
    : async (): Promise<void> => {}

  return { node, cid, stop }
}

interface Fetcher {
  network: Network
  /** The blocks that Bitswap was asked for. */
  overBitswap: Set<string>
}

/** A node without blocks that is connected to others. */
async function connectedTo (...nodes: Node[]): Promise<Fetcher> {
  const node = await testNode({ listen: [] })
  const network = new NodeNetwork({ repo: { blockstore: node.helia.blockstore, storage: {} } as unknown as Repo, node })
  const overBitswap = new Set<string>()
  const send = node.wants.send.bind(node.wants)

  vi.spyOn(node.wants, 'send').mockImplementation(async (cid, peer, type) => {
    if (type === 'block') {
      overBitswap.add(cid.toString())
    }

    return send(cid, peer, type)
  })

  for (const { libp2p } of nodes) {
    await network.connect(libp2p.getMultiaddrs()[0].toString(), AbortSignal.timeout(60_000))
  }

  return { network, overBitswap }
}

/** The same through a daemon. */
async function throughDaemon (network: Network): Promise<Network> {
  const server = await serveNetwork(network)
  onTestFinished(async () => { await server.close() })
  const client = new DaemonClient({ ...server, pid: process.pid })
  onTestFinished(async () => { await client.close() })

  return client
}

async function fetchFile (cid: CID, network: Network): Promise<Buffer> {
  const from = await BlockSources.open({ gateways: [], routers: [], network: async () => network })
  const { sources = [] } = from?.below(cid, { path: '', scope: 'entity' }) ?? {}
  const fs = ipfsz({ blockstore: new MemoryBlockstore(), sources })

  return Buffer.concat(await Array.fromAsync(fs.cat(cid)))
}

describe('a peer that serves its blocks over HTTP', () => {
  it.each<[string, (network: Network) => Promise<Network>]>([
    ['a node', async network => network],
    ['the daemon', throughDaemon]
  ])('sends all but the root to %s with one response', { tags: 'slow' }, async (_, wrap) => {
    const { node, cid } = await provider(true)
    const { network, overBitswap } = await connectedTo(node)

    expect(Buffer.compare(await fetchFile(cid, await wrap(network)), BYTES)).toBe(0)
    // while the peer has not said yet what it speaks
    expect(overBitswap.size).toBeLessThanOrEqual(1)
  })

  it('sends a file once to several commands of a daemon', { tags: 'slow' }, async () => {
    const { node, cid } = await provider(true)
    const { network, overBitswap } = await connectedTo(node)
    const client = await throughDaemon(network)
    const all = await Promise.all([1, 2, 3].map(async () => fetchFile(cid, client)))

    all.forEach(bytes => { expect(Buffer.compare(bytes, BYTES)).toBe(0) })
    expect(overBitswap.size).toBeLessThanOrEqual(1)
  })

  it('is not asked over HTTP if others have the file too', { tags: 'slow' }, async () => {
    const [a, b] = await Promise.all([provider(true), provider(true)])

    await expect.poll(async () => {
      const { network, overBitswap } = await connectedTo(a.node, b.node)
      await network.fetch(a.cid, { root: a.cid, signal: AbortSignal.timeout(60_000), store: false })
      // a peer that answers too late does not count: try with another node then
      await expect.poll(() => network.providerCount(a.cid), { timeout: 5_000 }).toBe(2)
      expect(Buffer.compare(await fetchFile(a.cid, network), BYTES)).toBe(0)

      return overBitswap.size
    }).toBeGreaterThan(5)
  })

  it('is replaced by Bitswap if it stops serving', { tags: 'slow' }, async () => {
    const { node, cid, stop } = await provider(true)
    const { network, overBitswap } = await connectedTo(node)
    await network.fetch(cid, { root: cid, signal: AbortSignal.timeout(60_000), store: false })
    await stop()

    expect(Buffer.compare(await fetchFile(cid, network), BYTES)).toBe(0)
    expect(overBitswap.size).toBeGreaterThan(5)
  })
})

describe('a peer that speaks only Bitswap', () => {
  it('sends all blocks over that', async () => {
    const { node, cid } = await provider(false)
    const { network, overBitswap } = await connectedTo(node)

    expect(Buffer.compare(await fetchFile(cid, network), BYTES)).toBe(0)
    expect(overBitswap.size).toBeGreaterThan(5)
  })
})
