import { once } from 'node:events'
import { peerIdFromString } from '@libp2p/peer-id'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepStreams, shortenStreams } from '../src/network/helia-internals/short-streams.ts'
import { keep, makeBlocks, testNode } from './nodes.ts'
import type { WantMessage } from '../src/network/helia-internals/bitswap-messages.ts'
import type { PeerId, Stream } from '@libp2p/interface'

const BITSWAP = '/ipfs/bitswap/1.2.0'
const MIB = 1024 * 1024
const WANT = { cid: new Uint8Array(0), priority: 1 }
const [PEER, OTHER] = [
  '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ',
  '12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8'
].map(id => peerIdFromString(id))

describe('shortenStreams', () => {
  it('sends no more than 1 MiB of blocks on each stream', async () => {
    const [a, b] = await Promise.all([testNode(), testNode()])
    const blocks = await makeBlocks(10, MIB)
    const streams: number[] = []
    const arrived = new EventTarget()
    await keep(a, blocks)

    await b.libp2p.unhandle(BITSWAP)
    await b.libp2p.handle(BITSWAP, stream => {
      const number = streams.push(0) - 1

      stream.addEventListener('message', ({ data }) => {
        streams[number] += data.byteLength

        if (streams.reduce((sum, size) => sum + size) > blocks.length * MIB) {
          arrived.dispatchEvent(new Event('all'))
        }
      })
    })
    await b.libp2p.dial(a.libp2p.getMultiaddrs())
    const all = once(arrived, 'all')

    for (const { cid } of blocks) {
      b.wants.send(cid, a.libp2p.peerId, 'block').catch(() => {})
    }

    await all

    expect(Math.max(...streams)).toBeLessThan(1.01 * MIB)
  })

  it('sends wants and presences with the first blocks, and a large block alone', async () => {
    const sent = await send([0.25, 0.5, 0.25, 0.5, 3.5, 0.5], {
      wantlist: new Map([['want', WANT]]),
      blockPresences: new Map([['presence', {}]])
    })

    expect(
      sent.map(({ blocks, wantlist, blockPresences }) => [[...blocks.keys()], wantlist.size, blockPresences.size])
    ).toEqual([
      [['0', '1', '2'], 1, 1],
      [['3'], 0, 0],
      [['4'], 0, 0],
      [['5'], 0, 0]
    ])
  })

  it('sends a message that has only a want', async () => {
    const sent = await send([], { wantlist: new Map([['want', WANT]]) })

    expect(sent).toMatchObject([{ wantlist: new Map([['want', WANT]]), blocks: new Map(), blockPresences: new Map() }])
  })

  it('keeps three streams open, and opens another when one ends', async () => {
    const ends: Array<() => void> = []
    const network = fakeNetwork(async () => new Promise<void>(resolve => { ends.push(resolve) }))
    shortenStreams(network)
    const sending = sendTo(network, message([1, 1, 1, 1, 1, 1]))

    expect(await settled(ends)).toBe(3)
    ends[0]()
    expect(await settled(ends)).toBe(4)
    ends.forEach(end => { end() })
    expect(await settled(ends)).toBe(6)
    ends.forEach(end => { end() })
    await sending
  })

  it('opens no more streams after one fails', async () => {
    let count = 0
    const network = fakeNetwork(async () => { count++; throw new Error('gone') })
    shortenStreams(network)

    await expect(sendTo(network, message([1, 1, 1, 1, 1, 1]))).rejects.toThrow('gone')
    expect(count).toBe(3)
  })

  it('sends a block once that waits in a message when a later one has it too', async () => {
    const ends: Array<() => void> = []
    const sent: string[] = []
    const network = fakeNetwork(async (_, { blocks }) => {
      sent.push(...blocks.keys())

      return new Promise<void>(resolve => { ends.push(resolve) })
    })
    shortenStreams(network)
    const first = sendTo(network, message([1, 1, 1, 1, 1, 1]))
    expect(await settled(ends)).toBe(3)
    const second = sendTo(network, message([1, 1, 1, 1, 1, 1]))

    while (await settled(ends) > 0) {
      ends.splice(0).forEach(end => { end() })
    }

    await Promise.all([first, second])
    // the first three were under way
    expect(sent.toSorted()).toEqual(['0', '0', '1', '1', '2', '2', '3', '4', '5'])
  })

  it('sends a block to each of two peers', async () => {
    const sent: string[] = []
    const network = fakeNetwork(async (peer, { blocks }) => {
      sent.push(...Array.from(blocks.keys(), key => `${key} to ${peer.equals(PEER) ? 'one' : 'the other'}`))
    })
    shortenStreams(network)

    await Promise.all([PEER, OTHER].map(async peer => network.sendMessage(peer, message([1]))))

    expect(sent).toEqual(['0 to one', '0 to the other'])
  })

  it('opens no more streams after the peer disconnects', async () => {
    const ends: Array<() => void> = []
    const network = fakeNetwork(async () => new Promise<void>(resolve => { ends.push(resolve) }))
    shortenStreams(network)
    const sending = sendTo(network, message([1, 1, 1, 1, 1, 1]))

    network.dispatchEvent(new CustomEvent('peer:disconnected', { detail: OTHER }))
    ends[0]()
    expect(await settled(ends)).toBe(4)
    network.dispatchEvent(new CustomEvent('peer:disconnected', { detail: PEER }))
    ends.forEach(end => { end() })
    await sending

    expect(ends).toHaveLength(4)
  })
})

describe('keepStreams', () => {
  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  it('sends the messages of a node to a peer on one stream', async () => {
    vi.useRealTimers()
    const [a, b] = await Promise.all([testNode(), testNode({ listen: [] })])
    const blocks = await makeBlocks(5)
    const arrived = new EventTarget()
    let streams = 0
    let size = 0

    await a.libp2p.unhandle(BITSWAP)
    await a.libp2p.handle(BITSWAP, stream => {
      streams++
      stream.addEventListener('message', ({ data }) => {
        size += data.byteLength
        arrived.dispatchEvent(new Event('message'))
      })
    })
    await b.libp2p.dial(a.libp2p.getMultiaddrs())

    for (const { cid } of blocks) {
      const message = once(arrived, 'message')
      await b.wants.send(cid, a.libp2p.peerId, 'presence')
      await message
    }

    expect(streams).toBe(1)
    expect(size).toBeGreaterThan(5 * blocks[0].cid.bytes.byteLength)
  })

  it('opens a second stream while the first is in use, and keeps only one of them', async () => {
    const { open, streams } = keeping()
    const first = await open()
    const second = await open()
    await first.close()
    await second.close()

    expect(streams.map(({ closed }) => closed)).toEqual([0, 1])
    expect(await open()).toBe(first)
  })

  it('keeps a stream for each peer, and none of other protocols', async () => {
    const { open, streams } = keeping()

    for (const [peer, protocol] of [[PEER, BITSWAP], [OTHER, BITSWAP], [PEER, '/other/1']] as const) {
      await (await open(peer, protocol)).close()
    }

    expect(streams.map(({ closed }) => closed)).toEqual([0, 0, 1])
    expect(await open(OTHER)).toBe(streams[1])
  })

  it('ends a stream that has carried 1 MiB', async () => {
    const { open, streams } = keeping()

    for (const size of [MIB / 2, MIB / 2, 1]) {
      const stream = await open()
      stream.send(new Uint8Array(size))
      await stream.close()
    }

    expect(streams.map(({ closed }) => closed)).toEqual([1, 0])
  })

  it('ends a stream on which no message follows in time', async () => {
    const { open, streams } = keeping()
    await (await open()).close()
    await vi.advanceTimersByTimeAsync(4000)
    const stream = await open()
    await vi.advanceTimersByTimeAsync(4000)
    expect(streams[0].closed).toBe(0)

    await stream.close()
    await vi.advanceTimersByTimeAsync(4000)
    expect(streams[0].closed).toBe(0)
    await vi.advanceTimersByTimeAsync(1000)
    expect(streams[0].closed).toBe(1)
  })

  it('opens another stream if the peer has reset the one that waits', async () => {
    const { open, streams } = keeping()
    await (await open()).close()
    streams[0].writeStatus = 'closed'

    expect(await open()).toBe(streams[1])
  })

  it('closes a stream that waits with its connection', async () => {
    const { open, streams } = keeping()
    const stream = await open()
    await stream.close()
    // as libp2p does for all streams of a connection
    await stream.close()

    expect(streams[0].closed).toBe(1)
  })
})

/** A stream that closes at once. */
class OpenStream {
  writeStatus = 'writable'
  closed = 0

  send (): boolean {
    return true
  }

  async close (): Promise<void> {
    this.closed++
  }
}

/** A libp2p that keeps streams, and those that it has opened. */
function keeping (): { open: (peer?: PeerId, protocol?: string) => Promise<Stream>, streams: OpenStream[] } {
  const streams: OpenStream[] = []
  const libp2p = {
    dialProtocol: async (_peer: PeerId, _protocol: string) => {
      streams.push(new OpenStream())

      return streams.at(-1) as unknown as Stream
    }
  }
  keepStreams(libp2p as Parameters<typeof keepStreams>[0])

  return { open: async (peer = PEER, protocol = BITSWAP) => libp2p.dialProtocol(peer, protocol), streams }
}

function message (sizes: readonly number[], parts: Partial<WantMessage> = {}): WantMessage {
  return {
    full: false,
    pendingBytes: 0,
    wantlist: new Map(),
    blockPresences: new Map(),
    blocks: new Map(sizes.map((size, i) => [`${i}`, { data: new Uint8Array(size * MIB) }])),
    ...parts
  }
}

/** @returns the parts of a message that go on each stream. `sizes` are those of its blocks, in MiB */
async function send (sizes: readonly number[], parts: Partial<WantMessage>): Promise<WantMessage[]> {
  const sent: WantMessage[] = []
  const network = fakeNetwork(async (_, part) => { sent.push(part) })
  shortenStreams(network)
  await sendTo(network, message(sizes, parts))

  return sent
}

type Send = (peer: PeerId, message: WantMessage) => Promise<void>

/** The part of Bitswap's network that sends messages, and reports peers that disconnect. */
function fakeNetwork (sendMessage: Send): Parameters<typeof shortenStreams>[0] & EventTarget & { sendMessage: Send } {
  return Object.assign(new EventTarget(), { sendMessage }) as never
}

async function sendTo (network: { sendMessage: Send }, sent: WantMessage): Promise<void> {
  await network.sendMessage(PEER, sent)
}

/** The number of values once everything that can run has run. */
async function settled (values: readonly unknown[]): Promise<number> {
  await new Promise(resolve => { setImmediate(resolve) })

  return values.length
}
