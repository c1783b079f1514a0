/** How the nodes of a store leave a fetch to one of them, over libp2p on loopback. */
import { hostname } from 'node:os'
import { NotFoundError } from '@ipfsz/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CLUSTER_PROTOCOL } from '../src/cluster/messages.ts'
import { ClusterPeers } from '../src/cluster/cluster-peers.ts'
import { ownersOf } from '@ipfsz/shared-store/nodes'
import { makeBlock, testNode } from './nodes.ts'
import type { FetchHere } from '../src/cluster/cluster-peers.ts'
import type { Node } from '../src/network/node/node.ts'
import type { NodeRecord } from '@ipfsz/shared-store/nodes'
import type { Block } from './nodes.ts'

/** So long that a busy machine does not come up to it. */
const LONG = 60_000

const { signal } = new AbortController()

interface Member {
  id: string
  node: Node
  peers: ClusterPeers
  /** What it fetches itself. */
  fetchHere: ReturnType<typeof vi.fn<FetchHere>>
}

interface ClusterOptions {
  /** Which other nodes a node knows of. By default all. */
  knows?: (id: string, other: string) => boolean
  /** Called when a node looks for one that it does not know. */
  look?: () => Promise<void>
  patience?: number
  silence?: number
}

function recordOf ({ libp2p }: Node): NodeRecord {
  const addresses = libp2p.getMultiaddrs().map(String)

  return { peerId: libp2p.peerId.toString(), addresses, host: hostname(), version: '0', counter: 1 }
}

/** Connected nodes of one store. Each can fetch the block itself. */
async function startCluster (
  block: Block,
  size: number,
  { knows = () => true, look = async () => {}, patience = LONG, silence = LONG }: ClusterOptions = {}
): Promise<Member[]> {
  const nodes = await Promise.all(Array.from({ length: size }, async () => testNode()))
  const ids = nodes.map(({ libp2p }) => libp2p.peerId.toString())

  return Promise.all(nodes.map(async (node, i) => {
    const id = ids[i]
    const others = (): string[] => ids.filter(other => other !== id && knows(id, other))
    const peers = new ClusterPeers({
      libp2p: node.libp2p,
      patience,
      silence,
      nodes: {
        has: peerId => others().includes(peerId),
        look,
        get living () {
          return [id, ...others()]
        }
      }
    })
    const fetchHere = vi.fn<FetchHere>(async () => ({ bytes: block.bytes, sender: `network of ${id}` }))
    onTestFinished(await peers.serve(fetchHere))
    peers.update({ others: nodes.slice(i + 1).map(recordOf), gone: [] })
    await vi.waitFor(() => {
      expect(node.libp2p.getPeers()).toHaveLength(size - 1)
    }, { timeout: LONG })

    return { id, node, peers, fetchHere }
  }))
}

/** The owner of a block below itself, and the others. */
function byOwner (members: readonly Member[], { cid }: Block): { owner: Member, others: Member[] } {
  const [id] = ownersOf(cid.multihash.bytes, members.map(member => member.id), 1)
  const owner = members.find(member => member.id === id) as Member

  return { owner, others: members.filter(member => member !== owner) }
}

async function fetchAs ({ peers, fetchHere }: Member, { cid }: Block): ReturnType<FetchHere> {
  return peers.fetch(cid, { root: cid, signal }, fetchHere)
}

/** A fetch that only ends when it is aborted. */
function fetchForever (aborted: () => void = () => {}): FetchHere {
  return async (_, options) => new Promise((_resolve, reject) => {
    options.signal.addEventListener('abort', () => {
      aborted()
      reject(options.signal.reason as Error)
    })
  })
}

describe('a block that the store lacks', () => {
  it('is fetched by the owner of its root, whichever node wants it', { tags: 'slow' }, async () => {
    const block = await makeBlock(1, 2_000_000)
    const members = await startCluster(block, 3)
    const { owner, others } = byOwner(members, block)

    const [own, ...asked] = await Promise.all([owner, ...others].map(async member => fetchAs(member, block)))

    expect(own.sender).toBe(`network of ${owner.id}`)

    for (const { bytes, sender } of asked) {
      expect(Buffer.from(bytes).equals(block.bytes)).toBe(true)
      expect(sender).toBe(owner.id)
    }

    expect(owner.fetchHere).toHaveBeenCalledTimes(3)
    others.forEach(({ fetchHere }) => { expect(fetchHere).not.toHaveBeenCalled() })
  })

  it('is not passed on by a node that was asked, even if it takes a third one for the owner', async () => {
    const block = await makeBlock(1)
    let [asking, hidden] = ['', '']
    const members = await startCluster(block, 3, { knows: (id, other) => id !== asking || other !== hidden })
    const { owner, others: [other, third] } = byOwner(members, block)
    // this one takes the second best for the owner, which itself knows a better one
    const { owner: second, others: [last] } = byOwner([other, third], block)
    hidden = owner.id
    asking = last.id

    await expect(fetchAs(last, block)).resolves.toMatchObject({ sender: second.id })
    expect(second.fetchHere).toHaveBeenCalledTimes(1)
    expect(owner.fetchHere).not.toHaveBeenCalled()
  })

  it('is fetched here if the owner fails, and so are the other blocks of its root', async () => {
    const block = await makeBlock(1)
    const { owner, others: [other] } = byOwner(await startCluster(block, 2), block)
    owner.fetchHere.mockRejectedValue(new NotFoundError(block.cid))

    for (let i = 0; i < 2; i++) {
      await expect(fetchAs(other, block)).resolves.toMatchObject({ sender: `network of ${other.id}` })
    }

    expect(owner.fetchHere).toHaveBeenCalledTimes(1)
  })

  it('is fetched here if the owner says nothing', async () => {
    const block = await makeBlock(1)
    const members = await startCluster(block, 2, {
      knows: (id, other) => byOwnerId([id, other], block) !== id,
      look: async () => new Promise(() => {}),
      silence: 50
    })
    const { owner, others: [other] } = byOwner(members, block)

    await expect(fetchAs(other, block)).resolves.toMatchObject({ sender: `network of ${other.id}` })
    expect(owner.fetchHere).not.toHaveBeenCalled()
  })

  it('is fetched here besides if the owner is slow', async () => {
    const block = await makeBlock(1)
    const { owner, others: [other] } = byOwner(await startCluster(block, 2, { patience: 50 }), block)
    owner.fetchHere.mockImplementation(fetchForever())

    await expect(fetchAs(other, block)).resolves.toMatchObject({ sender: `network of ${other.id}` })
  })

  it('is fetched here if the owner sends other bytes', async () => {
    const block = await makeBlock(1)
    const { owner, others: [other] } = byOwner(await startCluster(block, 2), block)
    owner.fetchHere.mockResolvedValue({ bytes: new Uint8Array(10), sender: '' })

    await expect(fetchAs(other, block)).resolves.toMatchObject({ sender: `network of ${other.id}` })
  })

  it('is no longer fetched by the owner when the caller gives up', async () => {
    const block = await makeBlock(1)
    const { owner, others: [{ peers, fetchHere }] } = byOwner(await startCluster(block, 2), block)
    const reason = new Error('enough')
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    owner.fetchHere.mockImplementation(async (...args) => {
      resolve()

      return fetchForever(aborted.resolve)(...args)
    })
    const abort = new AbortController()
    const fetched = peers.fetch(block.cid, { root: block.cid, signal: abort.signal }, fetchHere)
    await asked
    abort.abort(reason)

    await expect(fetched).rejects.toBe(reason)
    await aborted.promise
    expect(fetchHere).not.toHaveBeenCalled()
  })
})

describe('a request of another node', () => {
  it('is refused if that is no node of the store', async () => {
    const block = await makeBlock(1)
    const look = vi.fn(async () => {})
    const [member] = await startCluster(block, 1, { look })
    const stranger = await testNode()
    await stranger.libp2p.dial(member.node.libp2p.getMultiaddrs())
    const asking = new ClusterPeers({
      libp2p: stranger.libp2p,
      silence: LONG,
      patience: LONG,
      nodes: { has: () => true, look: async () => {}, living: [member.id] }
    })
    const fetchHere = vi.fn<FetchHere>(async () => ({ bytes: block.bytes, sender: 'here' }))

    await expect(asking.fetch(block.cid, { root: block.cid, signal }, fetchHere)).resolves.toMatchObject({
      sender: 'here'
    })
    expect(look).toHaveBeenCalledTimes(1)
    expect(member.fetchHere).not.toHaveBeenCalled()
  })

  it('is reset if it is no request', async () => {
    const block = await makeBlock(1)
    const [a, b] = await startCluster(block, 2)

    for (const bytes of [[1, 0x7b], [2, 0x7b, 0x7d], [0xff, 0xff, 0xff, 0xff, 0x7f], [0]]) {
      const stream = await a.node.libp2p.dialProtocol(b.node.libp2p.peerId, CLUSTER_PROTOCOL)
      const closed = new Promise(resolve => { stream.addEventListener('close', resolve) })
      stream.send(new Uint8Array(bytes))
      await closed
    }

    expect(b.fetchHere).not.toHaveBeenCalled()
  })
})

function byOwnerId (ids: readonly string[], { cid }: Block): string {
  return ownersOf(cid.multihash.bytes, ids, 1)[0]
}
