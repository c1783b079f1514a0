import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DamagedDagError } from '../src/errors.ts'
import { findProviders } from '../src/network/dht/find-providers.ts'
import { Providing } from '../src/network/dht/providing.ts'
import { waitForDht } from '../src/network/dht/dhts.ts'
import { makeBlock, makeBlocks, testNode } from './nodes.ts'
import type { Node } from '../src/network/node/node.ts'
import type { ProvidingInit } from '../src/network/dht/providing.ts'
import type { CID } from 'multiformats/cid'

const { signal } = new AbortController()

/** Two nodes of a DHT that know each other. */
async function pair (): Promise<[Node, Node]> {
  const [a, b] = await Promise.all([testNode(), testNode()])

  await a.libp2p.dial(b.libp2p.getMultiaddrs())
  await Promise.all([waitForDht(a.libp2p, signal), waitForDht(b.libp2p, signal)])

  return [a, b]
}

function provide (node: Node, roots: () => readonly CID[], init: Partial<ProvidingInit> = {}): Providing {
  const providing = new Providing({
    libp2p: node.libp2p,
    async * roots () { yield * roots() },
    onError: err => { throw err },
    ...init
  })

  onTestFinished(async () => { await providing.stop() })
  providing.start()

  return providing
}

async function providersOf (cid: CID, node: Node): Promise<string[]> {
  return (await Array.fromAsync(findProviders(node.libp2p, cid, signal))).map(({ id }) => id.toString())
}

describe('Providing', () => {
  it('announces the roots that exist at the start, and those added later', { tags: 'slow' }, async () => {
    const [a, b] = await pair()
    const [first, second, third] = await makeBlocks(3)
    const providing = provide(a, () => [first.cid])

    providing.add([second.cid])

    for (const { cid } of [first, second]) {
      await vi.waitFor(
        async () => { expect(await providersOf(cid, b)).toEqual([a.libp2p.peerId.toString()]) },
        { timeout: 120_000 }
      )
    }

    expect(await providersOf(third.cid, b)).toEqual([])
  })

  it('announces roots again at every interval, but not removed ones', async () => {
    const [a] = await pair()
    const blocks = await makeBlocks(2)
    const told: string[] = []
    const provideOnce = a.libp2p.services.lan.provide.bind(a.libp2p.services.lan)
    let there = blocks.map(({ cid }) => cid)

    vi.spyOn(a.libp2p.services.lan, 'provide').mockImplementation((cid, options) => {
      told.push(cid.toString())
      return provideOnce(cid, options)
    })
    provide(a, () => there, { interval: 50 })
    await vi.waitFor(() => { expect(told.length).toBeGreaterThanOrEqual(4) }, { timeout: 120_000 })
    there = [blocks[1].cid]
    // announcements that were under way may still come before
    await vi.waitFor(
      () => { expect(told.slice(-3)).toEqual(Array.from({ length: 3 }, () => blocks[1].cid.toString())) },
      { timeout: 120_000 }
    )
  })

  it('announces the blocks below roots when asked to', async () => {
    const [a, b] = await pair()
    const [root, leaf] = await makeBlocks(2)
    provide(a, () => [root.cid], {
      async * below (cid) { yield * [cid, leaf.cid] }
    })

    await vi.waitFor(
      async () => { expect(await providersOf(leaf.cid, b)).toEqual([a.libp2p.peerId.toString()]) },
      { timeout: 120_000 }
    )
  })

  it('continues with the other roots when a block below one is missing', async () => {
    const [a, b] = await pair()
    const [damaged, root] = await makeBlocks(2)
    const errors: unknown[] = []
    provide(a, () => [damaged.cid, root.cid], {
      interval: 50,
      onError: err => errors.push(err),
      async * below (cid) {
        if (cid.equals(damaged.cid)) {
          throw new DamagedDagError(cid, 'a block is missing')
        }

        yield cid
      }
    })

    await vi.waitFor(
      async () => { expect(await providersOf(root.cid, b)).toEqual([a.libp2p.peerId.toString()]) },
      { timeout: 120_000 }
    )
    // the next interval tries all roots again
    await vi.waitFor(() => { expect(errors.length).toBeGreaterThan(1) }, { timeout: 120_000 })
    expect(errors[0]).toMatchObject({ name: 'DamagedDagError' })
  })

  it('waits until there is a peer to tell', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const { cid } = await makeBlock(1)
    provide(a, () => [cid])

    await a.libp2p.dial(b.libp2p.getMultiaddrs())

    await vi.waitFor(
      async () => { expect(await providersOf(cid, b)).toEqual([a.libp2p.peerId.toString()]) },
      { timeout: 120_000 }
    )
  })

  it('stops at once while thousands of CIDs wait', async () => {
    const [a] = await pair()
    const { cid } = await makeBlock(1)
    const providing = provide(a, () => Array.from({ length: 5000 }, () => cid))

    await expect(providing.stop()).resolves.toBeUndefined()
  })
})
