import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BlockSession } from '../src/network/bitswap/block-session.ts'
import { badPeer, blockMessage } from './bad-peer.ts'
import { keep, makeBlock, makeBlocks, testNode } from './nodes.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { Node } from '../src/network/node/node.ts'
import type { Block } from './nodes.ts'
import type { CID } from 'multiformats/cid'

const { signal } = new AbortController()

function session (root: CID, node: Node): BlockSession {
  const made = new BlockSession(root, node)
  onTestFinished(() => { made.close() })

  return made
}

async function connect (from: Node, ...to: Node[]): Promise<void> {
  await Promise.all(to.map(async ({ libp2p }) => from.libp2p.dial(libp2p.getMultiaddrs())))
}

/** How many blocks came from each node. */
function countOf (fetched: readonly SourceBlock[], nodes: readonly Node[]): number[] {
  return nodes.map(({ libp2p }) => fetched.filter(({ sender }) => sender === libp2p.peerId.toString()).length)
}

describe('a session', () => {
  it('fetches blocks from a connected peer, and says which peer sent them', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(20)
    await keep(a, blocks)
    await connect(b, a)

    const files = session(blocks[0].cid, b)
    const fetched = await Promise.all(blocks.map(async ({ cid }) => files.fetch(cid, { signal })))

    expect(fetched.map(({ bytes }) => Buffer.from(bytes))).toEqual(blocks.map(({ bytes }) => Buffer.from(bytes)))
    expect(countOf(fetched, [a])).toEqual([20])
  })

  it('of a node with named peers alone fails once all of them lack a block, and tells who lacks it', async () => {
    const [a, b, c] = await Promise.all([testNode(), testNode(), testNode({ listen: [] })])
    const [there, nobodys, later] = await makeBlocks(3)
    await keep(b, [there])
    await connect(c, a, b)
    const lacking = new Set<string>()
    const files = session(there.cid, c)
    const get = async ({ cid }: Block): Promise<SourceBlock> =>
      files.fetch(cid, { signal, onLacks: peer => { lacking.add(peer) } })

    await expect(get(nobodys)).rejects.toMatchObject({ name: 'NotFoundError' })
    expect([...lacking].toSorted()).toEqual([a, b].map(({ libp2p }) => libp2p.peerId.toString()).toSorted())

    // what one of them has is found, and what one of them received since
    await expect(get(there)).resolves.toMatchObject({ sender: b.libp2p.peerId.toString() })
    await expect(get(later)).rejects.toMatchObject({ name: 'NotFoundError' })
    await keep(a, [later])
    await expect(get(later)).resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
  })

  it('of a node that listens waits for others after all that are connected lack a block', {
    tags: 'slow'
  }, async () => {
    const [a, b, c] = await Promise.all([testNode(), testNode(), testNode()])
    const { cid, bytes } = await makeBlock(1)
    await connect(b, a)
    const answered = Promise.withResolvers<string>()
    const fetching = session(cid, b).fetch(cid, { signal, onLacks: answered.resolve })

    expect(await answered.promise).toBe(a.libp2p.peerId.toString())
    await keep(c, [{ cid, bytes }])
    await connect(c, b)
    await expect(fetching).resolves.toMatchObject({ sender: c.libp2p.peerId.toString() })
  })

  it('fetches from several peers at once, and each block only once', { tags: 'slow' }, async () => {
    const [a, b, c] = await Promise.all([testNode(), testNode(), testNode()])
    const blocks = await makeBlocks(60, 200_000)
    await keep(a, blocks)
    await keep(b, blocks)
    await connect(c, a, b)

    let received = 0
    const unlisten = blocks.map(({ cid }) => c.wants.listen(cid, { block: () => { received++ } }))
    onTestFinished(() => { unlisten.forEach(end => { end() }) })

    const files = session(blocks[0].cid, c)
    const fetched = [await files.fetch(blocks[0].cid, { signal })]

    // a few at a time, as a reader does
    for (let i = 1; i < blocks.length; i += 8) {
      fetched.push(
        ...await Promise.all(
          blocks.slice(i, i + 8).map(async ({ cid }) => files.fetch(cid, { signal }))
        )
      )
    }

    const counts = countOf(fetched, [a, b])
    expect(counts[0] + counts[1]).toBe(60)
    expect(Math.min(...counts)).toBeGreaterThan(10)
    expect(received).toBe(60)
  })

  it('fetches a block from the same peer again', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await keep(a, [block])
    await connect(b, a)

    const files = session(block.cid, b)

    for (let i = 0; i < 3; i++) {
      await expect(files.fetch(block.cid, { signal })).resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
    }
  })

  it('fetches a block once for concurrent requests', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await keep(a, [block])
    await connect(b, a)

    const files = session(block.cid, b)
    const fetched = await Promise.all(
      Array.from({ length: 5 }, async () => files.fetch(block.cid, { signal }))
    )

    expect(new Set(fetched).size).toBe(1)
  })

  it('keeps fetching a block for other requests when one is aborted', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await connect(b, a)

    const files = session(block.cid, b)
    const controller = new AbortController()
    const first = files.fetch(block.cid, { signal: controller.signal })
    const second = files.fetch(block.cid, { signal })

    controller.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    await keep(a, [block])

    await expect(second).resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
  })

  it('finds a peer that connects while it waits', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await keep(a, [block])

    const fetching = session(block.cid, b).fetch(block.cid, { signal })
    await connect(a, b)

    await expect(fetching).resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
  })

  it('asks another peer for blocks that one does not have', async () => {
    const [a, b, c] = await Promise.all([testNode(), testNode(), testNode()])
    const blocks = await makeBlocks(10)
    await keep(a, blocks.slice(0, 5))
    await keep(b, [blocks[0], ...blocks.slice(5)])
    await connect(c, a, b)

    const files = session(blocks[0].cid, c)
    const fetched = await Promise.all(blocks.map(async ({ cid }) => files.fetch(cid, { signal })))

    expect(countOf(fetched.slice(1), [a, b])).toEqual([4, 5])
  })

  it('continues with another peer when one goes away', { tags: 'slow' }, async () => {
    const [a, b, c] = await Promise.all([testNode(), testNode(), testNode()])
    const blocks = await makeBlocks(40, 100_000)
    await keep(a, blocks)
    await keep(b, blocks)
    await connect(c, a, b)

    const files = session(blocks[0].cid, c)
    const fetched: SourceBlock[] = []

    for (const [i, { cid }] of blocks.entries()) {
      fetched.push(await files.fetch(cid, { signal }))

      if (i === 10) {
        await a.stop()
      }
    }

    expect(countOf(fetched.slice(12), [a, b])).toEqual([0, 28])
  })

  it('continues with the same peer after its connection was cut', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(20)
    await keep(a, blocks)
    await connect(b, a)

    const files = session(blocks[0].cid, b)

    for (const [i, { cid }] of blocks.entries()) {
      if (i === 10) {
        const closed = once(b.libp2p, 'peer:disconnect')
        b.libp2p.getConnections().forEach(connection => { connection.abort(new Error('cut')) })
        await closed
      }

      await expect(files.fetch(cid, { signal }))
        .resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
    }
  })

  it('asks a peer again at once after a want could not be sent', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const [block] = await makeBlocks(1)
    await keep(a, [block])
    await connect(b, a)
    vi.spyOn(b.wants, 'send').mockRejectedValueOnce(new Error('no stream'))

    // a peer that received the want would have 3 seconds to answer
    await expect(session(block.cid, b).fetch(block.cid, { signal }))
      .resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
  })

  it.each([
    [undefined, 28],
    [4 * 1024 * 1024, 7],
    [100, 40]
  ])('asks a peer for no more than 28 MiB at once: with a block size of %s, for %i blocks', async (size, count) => {
    const [bad, b] = await Promise.all([badPeer(() => undefined), testNode()])
    const blocks = await makeBlocks(40)
    await connect(b, bad)
    const send = vi.spyOn(b.wants, 'send')

    const files = session(blocks[0].cid, b)
    const stop = new AbortController()
    const sent = (): number => send.mock.calls.filter(([, , what]) => what === 'block').length
    const fetched = Promise.allSettled(blocks.map(async ({ cid }) =>
      files.fetch(cid, { size, signal: stop.signal })))

    await expect.poll(sent).toBe(count)
    // a want above the limit would be sent within the next turns of the event loop
    for (let turn = 0; turn < 100; turn++) {
      await nextTurn()
    }
    expect(sent()).toBe(count)

    stop.abort()
    await fetched
  })

  it('asks its only peer for the block, without first asking whether the peer has it', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await keep(a, [block])
    const send = vi.spyOn(b.wants, 'send')
    await connect(b, a)

    await session(block.cid, b).fetch(block.cid, { signal })

    expect(send.mock.calls.map(([, , what]) => what)).toEqual(['block'])
  })

  it('asks a peer for more blocks as soon as one arrives', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(40)
    await keep(a, blocks)
    await connect(b, a)

    const files = session(blocks[0].cid, b)
    const fetched = await Promise.all(blocks.map(async ({ cid }) => files.fetch(cid, { signal })))

    expect(countOf(fetched, [a])).toEqual([40])
  })

  it('goes on until it is aborted when no peer has the block', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const block = await makeBlock(1)
    await connect(b, a)
    const send = vi.spyOn(b.wants, 'send')
    const stop = new AbortController()
    const files = session(block.cid, b)

    const fetching = files.fetch(block.cid, { signal: stop.signal })
    await expect.poll(() => send.mock.calls.length).toBeGreaterThan(0)
    stop.abort(new Error('enough'))

    await expect(fetching).rejects.toThrow('enough')
    expect(files.peerCount).toBe(1)
  })

  it('gives up at once when search is off and no peer is known', async () => {
    const node = await testNode()
    const [{ cid: root }, { cid }] = await makeBlocks(2)
    const send = vi.spyOn(node.wants, 'send')

    await expect(session(root, node).fetch(cid, { search: 'lost', signal }))
      .rejects.toMatchObject({ name: 'NotFoundError', cid })
    expect(send).not.toHaveBeenCalled()
  })

  it('asks only known peers when search is off, and gives up when none of them has the block', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(4)
    await keep(a, blocks.slice(0, 2))
    await connect(b, a)
    const files = session(blocks[0].cid, b)
    await files.fetch(blocks[0].cid, { signal })

    await expect(files.fetch(blocks[1].cid, { search: 'lost', signal }))
      .resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
    await Promise.all(blocks.slice(2).map(async ({ cid }) => {
      await expect(files.fetch(cid, { search: 'lost', signal }))
        .rejects.toMatchObject({ name: 'NotFoundError', cid })
    }))
    expect(files.peerCount).toBe(1)
  })

  it('looks again for a peer that went away, even when search is off', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(2)
    await keep(a, blocks)
    await connect(b, a)
    const files = session(blocks[0].cid, b)
    await files.fetch(blocks[0].cid, { signal })
    const closed = once(b.libp2p, 'peer:disconnect')
    b.libp2p.getConnections().forEach(connection => { connection.abort(new Error('cut')) })
    await closed

    await expect(files.fetch(blocks[1].cid, { search: 'lost', signal }))
      .resolves.toMatchObject({ sender: a.libp2p.peerId.toString() })
  })

  it('ends a fetch at once when it is aborted', async () => {
    const block = await makeBlock(1)
    const controller = new AbortController()
    const fetching = session(block.cid, await testNode()).fetch(block.cid, { signal: controller.signal })

    controller.abort()

    await expect(fetching).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a session with a bad peer', { tags: 'slow' }, () => {
  it.each<[string, (wanted: Uint8Array) => Uint8Array | undefined]>([
    ['sends nothing', () => undefined],
    ['sends another block', () => blockMessage([1, 0x55, 0x12, 0x20], Buffer.from('something else'))],
    [
      'sends the digest as an identity block',
      wanted => blockMessage([1, 0x55, identity.code, 0x20], wanted.subarray(2))
    ],
    ['sends half a message', wanted => blockMessage([1, 0x55, 0x12, 0x20], wanted).subarray(0, 20)],
    ['sends bytes that are not a message', () => Buffer.from([3, 0xFF, 0xFF, 0xFF])]
  ])('gets blocks from another peer when the bad one %s', async (_, answer) => {
    const [bad, good, c] = await Promise.all([badPeer(answer), testNode(), testNode()])
    const blocks = await makeBlocks(3)
    await keep(good, blocks)
    await connect(c, bad, good)
    const files = session(blocks[0].cid, c)

    for (const { cid, bytes } of blocks) {
      const fetched = await files.fetch(cid, { signal })

      expect(Buffer.compare(fetched.bytes, bytes)).toBe(0)
      expect(fetched.sender).toBe(good.libp2p.peerId.toString())
    }
  })

  it('does not ask a silent peer for more blocks when search is off', async () => {
    const [bad, c] = await Promise.all([badPeer(() => undefined), testNode()])
    const blocks = await makeBlocks(3)
    await connect(c, bad)
    const files = session(blocks[0].cid, c)
    const waited = AbortSignal.timeout(4000)
    await expect(files.fetch(blocks[0].cid, { signal: waited })).rejects.toMatchObject({ name: 'TimeoutError' })
    const send = vi.spyOn(c.wants, 'send')

    for (const { cid } of blocks.slice(1)) {
      await expect(files.fetch(cid, { search: 'lost', signal })).rejects.toMatchObject({ name: 'NotFoundError', cid })
    }

    expect(send).not.toHaveBeenCalled()
    expect(files.peerCount).toBe(1)
  })
})
