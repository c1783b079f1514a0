import { readFileSync } from 'node:fs'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { tcp } from '@libp2p/tcp'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bitswapMessages } from '../src/network/helia-internals/bitswap-messages.ts'
import { captureBitswap } from '../src/network/helia-internals/capture-bitswap.ts'
import { testNode } from './nodes.ts'

/** The failure names the field, its package and the installed version. */
function expectField (
  value: unknown,
  type: 'function' | 'number' | 'object',
  packageName: string,
  field: string
): void {
  const manifest = new URL(`../../../node_modules/${packageName}/package.json`, import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

  expect(typeof value, `${packageName} ${version} has no ${field} that is a ${type}: see docs/upstream.md`).toBe(type)
}

const ON_STREAM = '_onStream'

interface Broker {
  bitswap?: Record<'network' | 'wantList', Record<string, unknown>>
}

/** Start a Helia with Bitswap that neither listens nor dials, and return its broker. */
async function startBroker (): Promise<Broker | undefined> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore: new MemoryBlockstore() }), {
    addresses: { listen: [] },
    transports: [tcp()]
  }))
  const bitswap = captureBitswap(helia)

  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return bitswap() as Broker | undefined
}

describe('the private fields that the command uses', () => {
  it('exist in @helia/bitswap for streams and messages', async () => {
    const { bitswap } = await startBroker() ?? {}

    expectField(bitswap, 'object', '@helia/bitswap', 'bitswap of its broker')
    expectField(bitswap?.network[ON_STREAM], 'function', '@helia/bitswap', 'network._onStream')
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

  it('exist in @libp2p/yamux for the window of a stream', async () => {
    const [a, b] = await Promise.all([testNode(), testNode({ listen: [] })])
    const connection = await b.libp2p.dial(a.libp2p.getMultiaddrs())
    const stream = await connection.newStream('/ipfs/ping/1.0.0') as unknown as Record<string, unknown>

    expectField(stream.recvWindow, 'number', '@libp2p/yamux', 'recvWindow of a stream')
    expectField(stream.sendWindowUpdate, 'function', '@libp2p/yamux', 'sendWindowUpdate of a stream')
  })

  it('exist in @libp2p/kad-dht for the number of its peers', async () => {
    const { libp2p: { services: { wan, lan } } } = await testNode({ listen: [] })

    for (const dht of [wan, lan]) {
      const { routingTable } = dht as unknown as { routingTable?: { size?: unknown } }

      expectField(routingTable?.size, 'number', '@libp2p/kad-dht', 'routingTable.size')
    }
  })

  it('are found through the broker that Helia adds', () => {
    const helia = createHeliaLight({ blockstore: new MemoryBlockstore() })
    const broker = { name: 'test' }

    expectField(helia.addBlockBroker, 'function', 'helia', 'addBlockBroker')
    const bitswap = captureBitswap(helia)
    helia.addBlockBroker(broker)

    expect(bitswap(), 'helia does not add a broker by addBlockBroker: see docs/upstream.md').toBe(broker)
  })

  it('are required: a Bitswap without them is refused', () => {
    expect(() => bitswapMessages(undefined)).toThrow(expect.objectContaining({ name: 'NodeError' }))
    expect(() => bitswapMessages({ bitswap: { wantList: { peers: new Map() }, network: {} } }))
      .toThrow(expect.objectContaining({ name: 'NodeError' }))
  })
})
