import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { unixfs } from '@helia/unixfs'
import { compress, compressProtocols, trafficOf } from '@ipfsz/libp2p-compression'
import { identify } from '@libp2p/identify'
import { noise as encryption } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createHeliaLight } from 'helia'
import { afterEach, describe, expect, it } from 'vitest'
import { countingProxy } from '../support/counting-proxy.ts'
import { noise, text } from '../support/data.ts'
import type { CountingProxy } from '../support/counting-proxy.ts'
import type { CompressionCodec } from '@ipfsz/libp2p-compression'
import type { Connection, Libp2p } from '@libp2p/interface'
import type { Helia } from 'helia'

const BITSWAP = '/ipfs/bitswap/1.2.0'
const closers: Array<() => Promise<unknown>> = []

type Node = Helia & { libp2p: Libp2p }

interface NodeInit {
  /** Compress whole connections with one of these. */
  codecs?: CompressionCodec[] | undefined
  /** Compress only Bitswap's streams, with one of these. */
  bitswapCodecs?: CompressionCodec[] | undefined
}

async function start ({ codecs, bitswapCodecs }: NodeInit): Promise<Node> {
  const node = withBitswap(withLibp2pLight(createHeliaLight(), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [encryption()],
    streamMuxers: [...(codecs == null ? [] : compress(yamux(), { codecs })), yamux()],
    services: {
      identify: identify(),
      ...(
        bitswapCodecs == null ? {} : { compression: compressProtocols({ protocols: [BITSWAP], codecs: bitswapCodecs }) }
      )
    }
  }))

  await node.start()
  closers.push(async () => node.stop())

  return node
}

interface Fetched {
  proxy: CountingProxy
  connection: Connection
}

/** Fetch files from one node to another through a counting proxy. */
async function fetch (files: Uint8Array[], from: NodeInit, to: NodeInit): Promise<Fetched> {
  const provider = await start(from)
  const client = await start(to)
  const port = Number(/\/tcp\/(\d+)/.exec(provider.libp2p.getMultiaddrs()[0].toString())?.[1])
  const proxy = await countingProxy(port)
  closers.unshift(async () => proxy.close())

  const identified = new Promise(
    resolve => { client.libp2p.addEventListener('peer:identify', resolve, { once: true }) }
  )
  const identifiedThere = new Promise(
    resolve => { provider.libp2p.addEventListener('peer:identify', resolve, { once: true }) }
  )
  const connection = await client.libp2p.dial(
    multiaddr(`/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${provider.libp2p.peerId.toString()}`)
  )
  await Promise.all([identified, identifiedThere])

  for (const file of files) {
    const cid = await unixfs(provider).addBytes(file)
    const bytes = Buffer.concat(await Array.fromAsync(unixfs(client).cat(cid)))
    expect(Buffer.compare(bytes, file)).toBe(0)
  }

  return { proxy, connection }
}

function texts (): Uint8Array[] {
  return Array.from({ length: 12 }, (_, i) => text(20_000 + 60_000 * i, i + 1))
}

function sum (files: Uint8Array[]): number {
  return files.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

afterEach(async () => {
  for (const close of closers.splice(0)) {
    await close()
  }
})

describe('Bitswap between two Helia nodes', { tags: 'slow' }, () => {
  it.each([
    ['zstd', 0.4],
    ['gzip', 0.4],
    ['lz4', 0.62]
  ] as const)('sends fewer bytes on the wire for text over connections compressed with %s', async (
    codec,
    most
  ) => {
    const files = texts()
    const size = sum(files)

    const plain = await fetch(files, {}, {})
    const compressed = await fetch(files, { codecs: [codec] }, { codecs: [codec] })

    expect(plain.proxy.received).toBeGreaterThan(size)
    expect(compressed.proxy.received).toBeLessThan(most * size)
    expect(compressed.proxy.sent).toBeLessThan(1.1 * plain.proxy.sent)
    // the proxy also counts encryption and handshakes
    expect(trafficOf(compressed.connection)?.received.compressed).toBeLessThan(compressed.proxy.received)
    expect(trafficOf(compressed.connection)?.received.compressed).toBeGreaterThan(0.95 * compressed.proxy.received)
  })

  it('sends fewer bytes on the wire for text when only its own streams are compressed', async () => {
    const files = texts()
    const init: NodeInit = { bitswapCodecs: ['zstd'] }
    const { proxy, connection } = await fetch(files, init, init)

    expect(proxy.received).toBeLessThan(0.4 * sum(files))
    expect(connection.multiplexer).toBe('/yamux/1.0.0')
  })

  it('sends at most 0.2% more bytes for a file that does not shrink', async () => {
    const files = [noise(4_000_000)]
    const plain = await fetch(files, {}, {})
    const compressed = await fetch(files, { codecs: ['zstd'] }, { codecs: ['zstd'] })

    expect(compressed.proxy.received).toBeLessThan(1.002 * plain.proxy.received)
  })

  it.each([
    ['the provider can compress connections', { codecs: ['zstd'] }, {}],
    ['the client can compress connections', {}, { codecs: ['zstd'] }],
    ['the provider can compress Bitswap', { bitswapCodecs: ['zstd'] }, {}],
    ['the client can compress Bitswap', {}, { bitswapCodecs: ['zstd'] }]
  ] as Array<[string, NodeInit, NodeInit]>)('stays uncompressed when only %s', async (_, provider, client) => {
    const { proxy, connection } = await fetch([text(300_000)], provider, client)

    expect(connection.multiplexer).toBe('/yamux/1.0.0')
    expect(proxy.received).toBeGreaterThan(300_000)
  })
})
