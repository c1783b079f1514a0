import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { NodeNetwork } from '../src/network/node/node-network.ts'
import { keep, makeBlock, testNode } from './nodes.ts'
import type { Repo } from '../src/repo/repo.ts'

const { signal } = new AbortController()

describe('a block that several commands fetch', () => {
  it('is written once, and not requested again by a command that comes just after', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await keep(a, [block])
    await b.libp2p.dial(a.libp2p.getMultiaddrs())

    const { blockstore } = b.helia
    const network = new NodeNetwork({ repo: { blockstore, storage: {} } as unknown as Repo, node: b })
    const options = { root: block.cid, signal }
    const [put, listen] = [vi.spyOn(blockstore, 'put'), vi.spyOn(b.wants, 'listen')]

    const first = await Promise.all([1, 2, 3].map(async () => network.fetch(block.cid, options)))
    const asked = listen.mock.calls.length
    const second = await network.fetch(block.cid, options)

    for (const { bytes, sender } of [...first, second]) {
      expect(Buffer.from(bytes).equals(block.bytes)).toBe(true)
      expect(sender).toBe(a.libp2p.peerId.toString())
    }

    expect(put).toHaveBeenCalledTimes(1)
    expect(asked).toBeGreaterThan(0)
    expect(listen).toHaveBeenCalledTimes(asked)
  })
})

describe('a block that is fetched for others', () => {
  it('is not stored in the repo, unless a command wants that at the same time', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const [block, shared] = [await makeBlock(1), await makeBlock(2)]
    await keep(a, [block, shared])
    await b.libp2p.dial(a.libp2p.getMultiaddrs())

    const { blockstore } = b.helia
    const network = new NodeNetwork({ repo: { blockstore, storage: {} } as unknown as Repo, node: b })
    const options = { root: block.cid, signal }

    const { bytes } = await network.fetch(block.cid, { ...options, store: false })
    await Promise.all([false, true].map(async store => network.fetch(shared.cid, { ...options, store })))

    expect(Buffer.from(bytes).equals(block.bytes)).toBe(true)
    await expect(blockstore.has(block.cid)).resolves.toBe(false)
    await expect(blockstore.has(shared.cid)).resolves.toBe(true)
  })
})

describe('a peer with two connections', () => {
  it('is listed once', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const repo = { blockstore: b.helia.blockstore, storage: {} } as unknown as Repo
    const network = new NodeNetwork({ repo, node: b })
    await b.libp2p.dial(a.libp2p.getMultiaddrs())
    await b.libp2p.dial(a.libp2p.getMultiaddrs(), { force: true })
    expect(b.libp2p.getConnections()).toHaveLength(2)

    await expect(network.peers()).resolves.toEqual([
      expect.objectContaining({ peerId: a.libp2p.peerId.toString(), direction: 'outbound' })
    ])
  })
})

describe('a block whose hash cannot be checked', () => {
  it('is refused before any peer is asked for it', async () => {
    const node = await testNode()
    const repo = { blockstore: node.helia.blockstore, storage: {} } as unknown as Repo
    const network = new NodeNetwork({ repo, node })
    const listen = vi.spyOn(node.wants, 'listen')

    for (
      const [hash, name] of [[createDigest(sha256.code, new Uint8Array(4)), 'DigestLengthError'], [
        createDigest(0x11, new Uint8Array(20)),
        'UnknownHashError'
      ]] as const
    ) {
      const cid = CID.createV1(raw.code, hash)

      await expect(network.fetch(cid, { root: cid, signal })).rejects.toMatchObject({ name, cid })
    }

    expect(listen).not.toHaveBeenCalled()
  })
})
