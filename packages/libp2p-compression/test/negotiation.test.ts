/** @module-tag long */
import { afterEach, describe, expect, it } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { trafficOf } from '../src/index.ts'
import { echo, lateNoise, startNode } from './nodes.ts'
import type { CompressInit } from '../src/index.ts'
import type { NodeInit } from './nodes.ts'
import type { Connection, Libp2p } from '@libp2p/interface'

const YAMUX = '/yamux/1.0.0'
const BYTES = text(300_000)
const nodes: Libp2p[] = []

async function start (init: NodeInit): Promise<Libp2p> {
  const node = await startNode(init)
  nodes.push(node)

  return node
}

/** Two connected nodes, and the connection from both sides. */
async function connect (dialer: NodeInit, listener: NodeInit): Promise<{ outbound: Connection, inbound: Connection }> {
  const there = await start({ listen: '/ip4/127.0.0.1/tcp/0', ...listener })
  const here = await start(dialer)
  const outbound = await here.dial(there.getMultiaddrs())
  // the listener may get its connection slightly later
  await expect.poll(() => there.getConnections(here.peerId).length).toBe(1)

  return { outbound, inbound: there.getConnections(here.peerId)[0] }
}

async function expectEcho (connection: Connection): Promise<void> {
  expect(Buffer.compare(await echo(connection, BYTES), BYTES)).toBe(0)
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async node => node.stop()))
})

const ENCRYPTERS: Array<[string, NodeInit]> = [
  ['in the Noise handshake', {}],
  ['by multistream-select', { encrypter: lateNoise }]
]

describe.each(ENCRYPTERS)('negotiation %s', (_, encryption) => {
  it.each([
    ['zstd', '/ipfsz/zstd/1.0.0/yamux/1.0.0'],
    ['gzip', '/ipfsz/deflate/1.0.0/yamux/1.0.0'],
    ['lz4', '/ipfsz/lz4/1.0.0/yamux/1.0.0']
  ] as const)('selects %s if both sides have it', async (codec, protocol) => {
    const compression = { codecs: [codec] }
    const { outbound, inbound } = await connect({ ...encryption, compression }, { ...encryption, compression })

    expect([outbound.multiplexer, inbound.multiplexer]).toEqual([protocol, protocol])
    await expectEcho(outbound)
    expect(trafficOf(outbound)).toMatchObject({ protocol, direction: 'outbound' })
    expect(trafficOf(outbound)?.sent.compressed).toBeLessThan(0.65 * BYTES.byteLength)
    expect(trafficOf(inbound)?.sent.compressed).toBeLessThan(0.65 * BYTES.byteLength)
    expect(trafficOf(inbound)?.received.raw).toBeGreaterThan(BYTES.byteLength)
    expect(trafficOf(inbound)?.received.compressed).toBeLessThan(0.65 * BYTES.byteLength)
  })

  it.each([
    ['only the dialer compresses', {}, undefined],
    ['only the listener compresses', undefined, {}],
    ['the sides have no codec in common', { codecs: ['lz4'] }, { codecs: ['gzip'] }],
    ['neither side compresses', undefined, undefined]
  ] as Array<[string, CompressInit | undefined, CompressInit | undefined]>)('falls back to yamux if %s', async (
    _,
    here,
    there
  ) => {
    const { outbound, inbound } = await connect({ ...encryption, compression: here }, {
      ...encryption,
      compression: there
    })

    expect([outbound.multiplexer, inbound.multiplexer]).toEqual([YAMUX, YAMUX])
    await expectEcho(outbound)
    expect(trafficOf(outbound)).toBeUndefined()
  })

  it('selects the codec that both sides have, even if neither prefers it', async () => {
    const { outbound, inbound } = await connect(
      { ...encryption, compression: { codecs: ['zstd', 'gzip'] } },
      { ...encryption, compression: { codecs: ['lz4', 'gzip'] } }
    )
    const protocol = '/ipfsz/deflate/1.0.0/yamux/1.0.0'

    expect([outbound.multiplexer, inbound.multiplexer]).toEqual([protocol, protocol])
    await expectEcho(outbound)
  })

  // with js-libp2p's Noise each side takes the first codec of the other's list: they differ, and each side reads both
  it('works if the sides prefer different codecs', async () => {
    const { outbound, inbound } = await connect(
      { ...encryption, compression: { codecs: ['zstd', 'lz4'] } },
      { ...encryption, compression: { codecs: ['lz4', 'zstd'] } }
    )

    expect(outbound.multiplexer).toMatch(/^\/ipfsz\/(zstd|lz4)\//)
    expect(inbound.multiplexer).toMatch(/^\/ipfsz\/(zstd|lz4)\//)
    await expectEcho(outbound)
    expect(trafficOf(outbound)?.sent.compressed).toBeLessThan(0.65 * BYTES.byteLength)
    expect(trafficOf(inbound)?.sent.compressed).toBeLessThan(0.65 * BYTES.byteLength)
  })

  it('works if the sides use different levels', async () => {
    const {
      outbound
    } = await connect({ ...encryption, compression: { level: 1 } }, { ...encryption, compression: { level: 9 } })

    await expectEcho(outbound)
  })
})

it('negotiation by multistream-select selects the codec that the dialer prefers', async () => {
  const { outbound, inbound } = await connect(
    { encrypter: lateNoise, compression: { codecs: ['lz4', 'zstd'] } },
    { encrypter: lateNoise, compression: { codecs: ['zstd', 'lz4'] } }
  )

  expect([outbound.multiplexer, inbound.multiplexer])
    .toEqual(['/ipfsz/lz4/1.0.0/yamux/1.0.0', '/ipfsz/lz4/1.0.0/yamux/1.0.0'])
})

describe('a compressed connection', () => {
  const compression = {}

  it.each([
    ['TCP', '/ip4/127.0.0.1/tcp/0'],
    ['WebSockets', '/ip4/127.0.0.1/tcp/0/ws'],
    ['the memory transport', '/memory/ipfsz-negotiation']
  ])('works over %s', async (_, listen) => {
    const { outbound, inbound } = await connect({ compression }, { compression, listen })

    expect(outbound.multiplexer).toBe('/ipfsz/zstd/1.0.0/yamux/1.0.0')
    await expectEcho(outbound)
    await expectEcho(inbound)
    expect(trafficOf(outbound)?.sent.compressed).toBeLessThan(1.3 * BYTES.byteLength)
  })

  it.each([
    ['that compresses too', {}],
    ['that does not compress', undefined]
  ])('works through a relay %s', async (_, relayed) => {
    const relay = await start({ listen: '/ip4/127.0.0.1/tcp/0', relay: true, compression: relayed })
    const there = await start({ listen: `${relay.getMultiaddrs()[0].toString()}/p2p-circuit`, compression })
    await expect.poll(() => there.getMultiaddrs().length).toBeGreaterThan(0)
    const here = await start({ compression })

    const connection = await here.dial(there.getMultiaddrs()[0])

    expect(connection.multiplexer).toBe('/ipfsz/zstd/1.0.0/yamux/1.0.0')
    expect(connection.limits).toBeDefined()
    // a relay limits the bytes of a connection
    const bytes = text(20_000)
    expect(Buffer.compare(await echo(connection, bytes), bytes)).toBe(0)
    expect(trafficOf(connection)?.sent.compressed).toBeLessThan(0.8 * bytes.byteLength)
  })

  it('ends on both sides when one aborts it', async () => {
    const { outbound, inbound } = await connect({ compression }, { compression })
    const closed = new Promise(resolve => { inbound.addEventListener('close', resolve) })
    await expectEcho(outbound)

    outbound.abort(new Error('enough'))
    await closed

    expect([outbound.status, inbound.status]).toEqual(['aborted', expect.stringMatching(/^(reset|aborted|closed)$/)])
  })
})
