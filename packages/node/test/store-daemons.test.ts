/** @module-tag long */
/** Daemons over one store in a directory, in this process, on loopback. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startDaemon } from '../src/daemon/daemon.ts'
import { NodeNetwork } from '../src/network/node/node-network.ts'
import { joinStore } from '@ipfsz/shared-store'
import { writeReference } from '@ipfsz/shared-store/reference'
import { keep, makeBlocks, testNode } from './nodes.ts'
import type { Daemon } from '../src/daemon/daemon.ts'
import type { Repo } from '../src/repo/repo.ts'

const { signal } = new AbortController()

/** So long that a busy machine does not come up to it. */
const LONG = { timeout: 60_000, interval: 20 }

async function startDaemons (
  count: number,
  bootstrap: readonly string[]
): Promise<{ store: string, daemons: Daemon[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-site-'))
  const store = join(directory, 'store')
  await mkdir(store)
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })
  const daemons: Daemon[] = []

  for (let i = 0; i < count; i++) {
    const repo = join(directory, `node-${i}`)
    const { reference } = await joinStore(store)
    await mkdir(repo)
    await writeReference(repo, reference)
    const daemon = await startDaemon({
      repo,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      bootstrap,
      clusterTimes: { silence: LONG.timeout, patience: LONG.timeout },
      provide: 'roots',
      signal,
      onNote: () => {},
      verbose: false
    })
    daemons.push(daemon)
    onTestFinished(daemon.stop)
  }

  return { store, daemons }
}

async function nodesIn (store: string): Promise<string[]> {
  return readdir(join(store, 'nodes'))
}

describe('daemons of one store', () => {
  it('connect, fetch a block once for all, and leave nothing behind', { tags: 'slow' }, async () => {
    const stranger = await testNode()
    const blocks = await makeBlocks(3)
    await keep(stranger, blocks)
    const { store, daemons } = await startDaemons(3, stranger.libp2p.getMultiaddrs().map(String))
    const ids = daemons.map(({ id }) => id.peerId)
    const strangerId = stranger.libp2p.peerId.toString()

    await vi.waitFor(async () => {
      for (const { id, network } of daemons) {
        const peers = await network.peers()
        ids.filter(other => other !== id.peerId).forEach(other => {
          expect(peers).toContainEqual(expect.objectContaining({ peerId: other, sameStore: true }))
        })
        expect(peers.find(({ peerId }) => peerId === strangerId)).not.toHaveProperty('sameStore')
      }
    }, LONG)
    expect(await nodesIn(store)).toHaveLength(3)

    for (const { cid, bytes } of blocks) {
      const fetched = await Promise.all(daemons.map(async ({ network }) => network.fetch(cid, { root: cid, signal })))
      const senders = fetched.map(({ sender }) => sender)

      fetched.forEach(block => { expect(Buffer.from(block.bytes).equals(bytes)).toBe(true) })
      // the owner had it from the stranger, and the others from the owner
      expect(senders.filter(id => id === strangerId)).toHaveLength(1)
      expect(senders.filter(id => ids.includes(String(id)))).toHaveLength(2)

      for (const { repo } of daemons) {
        await expect(repo.blockstore.has(cid)).resolves.toBe(true)
      }
    }

    await Promise.all(daemons.map(async ({ stop }) => stop()))
    expect(await nodesIn(store)).toEqual([])
  })

  it('keep what they fetch for a gateway of another one, for the third that asks', async () => {
    const stranger = await testNode()
    const [{ cid, bytes }] = await makeBlocks(1)
    await keep(stranger, [{ cid, bytes }])
    const { daemons } = await startDaemons(2, stranger.libp2p.getMultiaddrs().map(String))
    const kept = new Map<string, Uint8Array>()

    for (const { network } of daemons) {
      network.keepForCluster({
        get: async cid => kept.get(cid.toString()),
        put: async (cid, bytes) => { kept.set(cid.toString(), bytes) }
      })
    }

    await vi.waitFor(async () => {
      for (const { network } of daemons) {
        // two that dial each other at the same moment have two connections
        expect(await network.peers()).toContainEqual(expect.objectContaining({ sameStore: true }))
      }
    }, LONG)

    const options = { root: cid, store: false, signal }
    const senders = await Promise.all(daemons.map(async ({ network }) => (await network.fetch(cid, options)).sender))
    const other = daemons[senders.findIndex(sender => sender !== stranger.libp2p.peerId.toString())]
    expect([...kept.keys()]).toEqual([cid.toString()])
    await stranger.stop()

    const fetched = await other.network.fetch(cid, options)

    expect(daemons.map(({ id }) => id.peerId)).toContain(fetched.sender)
    expect(Buffer.from(fetched.bytes).equals(bytes)).toBe(true)
    await expect(other.repo.blockstore.has(cid)).resolves.toBe(false)
  })

  it('each serve every block of the store to peers', async () => {
    const { daemons: [a, b] } = await startDaemons(2, [])
    const [{ cid, bytes }] = await makeBlocks(1)
    await a.repo.blockstore.put(cid, bytes)
    await a.repo.storage.sync()
    const stranger = await testNode()
    const { blockstore } = stranger.helia
    const network = new NodeNetwork({ repo: { blockstore, storage: {} } as unknown as Repo, node: stranger })
    await network.connect(b.id.addresses[0], signal)

    const fetched = await network.fetch(cid, { root: cid, signal })

    expect(fetched.sender).toBe(b.id.peerId)
    expect(Buffer.from(fetched.bytes).equals(bytes)).toBe(true)
  })
})
