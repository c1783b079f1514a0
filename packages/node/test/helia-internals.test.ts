import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bitswapBroker } from '../src/network/helia-internals/bitswap-broker.ts'
import { bitswapMessages } from '../src/network/helia-internals/bitswap-messages.ts'
import { makeBlock, testNode } from './nodes.ts'
import type { Libp2p, PeerId } from '@libp2p/interface'
import type { Helia } from 'helia'
import type { Libp2pOptions } from 'libp2p'
import type { BitswapMessages } from '../src/network/helia-internals/bitswap-messages.ts'
import type { Block } from './nodes.ts'

/** The failure names the field, its package and the installed version. */
function expectField (
  value: unknown,
  type: 'boolean' | 'function' | 'number' | 'object',
  packageName: string,
  field: string
): void {
  const manifest = new URL(`../../../node_modules/${packageName}/package.json`, import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

  expect(typeof value, `${packageName} ${version} has no ${field} that is a ${type}: see docs/upstream.md`).toBe(type)
}

interface Broker {
  bitswap?: Record<'network' | 'wantList', Record<string, unknown>>
}

/** Start a Helia with Bitswap that neither listens nor dials, and return its broker. */
async function startBroker (): Promise<Broker | undefined> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore: new MemoryBlockstore() }), {
    addresses: { listen: [] },
    transports: [tcp()]
  }))

  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return bitswapBroker(helia) as Broker | undefined
}

describe('the private fields that the command uses', () => {
  it('exist in @helia/bitswap for messages', async () => {
    const { bitswap } = await startBroker() ?? {}

    expectField(bitswap, 'object', '@helia/bitswap', 'bitswap of its broker')
    expectField(bitswap?.network.sendMessage, 'function', '@helia/bitswap', 'network.sendMessage')
    expectField(bitswap?.network.addEventListener, 'function', '@helia/bitswap', 'network.addEventListener')
  })

  it('exist in @helia/bitswap for answers', async () => {
    const { bitswap } = await startBroker() ?? {}
    const peers = bitswap?.wantList.peers as { keys?: unknown } | undefined

    expectField(peers?.keys, 'function', '@helia/bitswap', 'wantList.peers.keys')
    expectField(bitswap?.wantList.addEventListener, 'function', '@helia/bitswap', 'wantList.addEventListener')
    expect(bitswapMessages({ bitswap })).toBe(bitswap)
  })

  it('exist in @libp2p/tcp for what is sent in one packet', async () => {
    const corked = vi.spyOn(Socket.prototype, 'cork')
    onTestFinished(() => { corked.mockRestore() })
    const [a, b] = await Promise.all([testNode(), testNode({ listen: [] })])
    const connection = await b.libp2p.dial(a.libp2p.getMultiaddrs())
    corked.mockClear()
    await connection.newStream('/ipfs/ping/1.0.0')

    expect(corked.mock.calls.length, 'connections of @libp2p/tcp have no socket or sendData: see docs/upstream.md')
      .toBeGreaterThan(0)
  })

  it('exist in @libp2p/kad-dht for the number of its peers', async () => {
    const { libp2p: { services: { wan, lan } } } = await testNode({ listen: [] })

    for (const dht of [wan, lan]) {
      const { routingTable } = dht as unknown as { routingTable?: { size?: unknown } }

      expectField(routingTable?.size, 'number', '@libp2p/kad-dht', 'routingTable.size')
    }
  })

  it('exist in helia for the broker that was added', () => {
    const helia = createHeliaLight({ blockstore: new MemoryBlockstore() })
    const broker = { name: 'bitswap' }
    expectField((helia as { blockBrokers?: unknown }).blockBrokers, 'object', 'helia', 'blockBrokers')
    expect(bitswapBroker(helia)).toBeUndefined()

    helia.addBlockBroker({ name: 'other' })
    helia.addBlockBroker(broker)
    expect(bitswapBroker(helia)).toBe(broker)
  })

  it('are required: a Bitswap without them is refused', () => {
    const wantList = { peers: new Map() }
    const network = { sendMessage: () => {} }

    for (const bitswap of [
      undefined, {}, { wantList }, { network }, { wantList, network: { sendMessage: undefined } }
    ]) {
      expect(() => bitswapMessages({ bitswap })).toThrow(expect.objectContaining({ name: 'NodeError' }))
    }

    expect(() => bitswapMessages(undefined)).toThrow(expect.objectContaining({ name: 'NodeError' }))
  })
})

const BITSWAP = '/ipfs/bitswap/1.2.0'

/** A Helia on loopback, with Bitswap as it is, and the parts of it that send and receive messages. */
async function startBitswap (): Promise<{ helia: Helia & { libp2p: Libp2p }, bitswap: BitswapMessages }> {
  const options: Libp2pOptions = {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore: new MemoryBlockstore() }), options))

  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return { helia: helia as Helia & { libp2p: Libp2p }, bitswap: bitswapMessages(bitswapBroker(helia)) }
}

interface Exchange {
  there: PeerId
  block: Block
  missing: Block
  /** The details of the events here, by type. */
  events: Record<string, Array<Record<string, unknown>>>
  /** The messages that Bitswap itself sent there. */
  messages: Array<Record<string, unknown>>
}

/** Connects two nodes, asks for a block that the other has and one that it lacks, and disconnects. */
async function exchange (): Promise<Exchange> {
  const [here, there] = await Promise.all([startBitswap(), startBitswap()])
  const [block, missing] = await Promise.all([makeBlock(1, 100), makeBlock(2, 100)])
  const { network, wantList } = here.bitswap
  const events: Exchange['events'] = {}
  const messages: Exchange['messages'] = []
  const heard = async (type: string, count: number): Promise<void> => {
    const message = `@helia/bitswap does not dispatch ${type}: see docs/upstream.md`
    await expect.poll(() => events[type]?.length ?? 0, { message }).toBeGreaterThanOrEqual(count)
  }

  for (const [target, types] of [
    [network, ['peer:connected', 'peer:disconnected']],
    [wantList, ['block', 'presence']]
  ] as const) {
    for (const type of types) {
      (target as unknown as EventTarget).addEventListener(type, event => {
        events[type] = [...events[type] ?? [], (event as CustomEvent<Record<string, unknown>>).detail]
      })
    }
  }

  const sendMessage = there.bitswap.network.sendMessage.bind(there.bitswap.network)
  there.bitswap.network.sendMessage = async (peer, message, options) => {
    // a copy, as short-streams.ts makes one
    messages.push({ ...message })

    return sendMessage(peer, message, options)
  }
  await there.helia.blockstore.put(block.cid, block.bytes)

  const connection = await here.helia.libp2p.dial(there.helia.libp2p.getMultiaddrs())
  await heard('peer:connected', 1)
  await network.sendMessage(there.helia.libp2p.peerId, {
    full: false,
    pendingBytes: 0,
    wantlist: new Map([block, missing].map(({ cid }, i) => [
      `${i}`,
      { cid: cid.bytes, priority: 1, wantType: 'WantBlock', sendDontHave: true }
    ])),
    blocks: new Map(),
    blockPresences: new Map()
  })
  await heard('block', 1)
  // one for the block, one for the other
  await heard('presence', 2)
  await connection.close()
  await heard('peer:disconnected', 1)

  return { there: there.helia.libp2p.peerId, block, missing, events, messages }
}

describe('what @helia/bitswap says and sends', () => {
  it('is an event for each peer that comes and goes, with its id', async () => {
    const { there, events } = await exchange()

    for (const type of ['peer:connected', 'peer:disconnected']) {
      const [detail] = events[type]

      expectField(detail.equals, 'function', '@helia/bitswap', `equals of the detail of ${type}`)
      expect(String(detail)).toBe(there.toString())
    }
  })

  it('is an event for each block and each answer, with its CID, its sender and its bytes', async () => {
    const { there, events, block, missing } = await exchange()
    const [received] = events.block

    for (const key of ['cid', 'sender', 'block']) {
      expectField(received[key], 'object', '@helia/bitswap', `${key} in the detail of block`)
    }

    expect([received.cid, received.sender].map(String)).toEqual([block.cid, there].map(String))
    expect(Buffer.compare(received.block as Uint8Array, block.bytes)).toBe(0)

    for (const { cid, sender, has } of events.presence) {
      expectField(cid, 'object', '@helia/bitswap', 'cid in the detail of presence')
      expectField(sender, 'object', '@helia/bitswap', 'sender in the detail of presence')
      expectField(has, 'boolean', '@helia/bitswap', 'has in the detail of presence')
      expect(String(sender)).toBe(there.toString())
    }

    expect(new Map(events.presence.map(({ cid, has }) => [String(cid), has])))
      .toEqual(new Map([[block.cid.toString(), true], [missing.cid.toString(), false]]))
  })

  it('is a message with its own fields, and blocks that have their bytes', async () => {
    const { messages, block } = await exchange()
    const blocks: Uint8Array[] = []

    expect(messages.length, '@helia/bitswap does not call network.sendMessage as a property: see docs/upstream.md')
      .toBeGreaterThan(0)

    for (const message of messages) {
      expectField(message.full, 'boolean', '@helia/bitswap', 'full of a message')
      expectField(message.pendingBytes, 'number', '@helia/bitswap', 'pendingBytes of a message')

      for (const key of ['wantlist', 'blocks', 'blockPresences']) {
        const map = message[key] as Partial<Map<string, { data?: Uint8Array }>> | undefined

        expectField(map?.entries, 'function', '@helia/bitswap', `${key}.entries of a message`)
      }

      for (const { data } of (message.blocks as Map<string, { data?: Uint8Array }>).values()) {
        expectField(data?.byteLength, 'number', '@helia/bitswap', 'data.byteLength of a block in a message')
        blocks.push(data ?? new Uint8Array(0))
      }
    }

    expect(blocks.map(bytes => Buffer.compare(bytes, block.bytes))).toEqual([0])
  })

  it('goes over one protocol', async () => {
    const { helia } = await startBitswap()

    expect(
      helia.libp2p.getProtocols().filter(protocol => protocol.includes('bitswap')),
      '@helia/bitswap speaks other protocols: see docs/upstream.md'
    ).toEqual([BITSWAP])
  })
})
