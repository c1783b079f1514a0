import { once } from 'node:events'
import { ipfsz } from '@ipfsz/core'
import { CarBlockIterator } from '@ipld/car'
import { noise as encrypt } from '@libp2p/noise'
import { identify } from '@libp2p/identify'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { MemoryBlockstore } from 'blockstore-core'
import { createLibp2p } from 'libp2p'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HTTP_PROTOCOL, serveOverLibp2p } from '../src/libp2p/index.ts'
import { noise } from '../../../test/support/data.ts'
import type { Libp2pGatewayInit } from '../src/libp2p/index.ts'
import type { GatewayComponents } from '../src/index.ts'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

const MIB = 1024 * 1024
const BYTES = noise(5 * MIB)

async function createNode (listen: string[]): Promise<Libp2p> {
  const node = await createLibp2p({
    addresses: { listen },
    transports: [tcp()],
    connectionEncrypters: [encrypt()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  })
  onTestFinished(async () => { await node.stop() })

  return node
}

interface Served {
  connection: Connection
  cid: CID
  bytes: Uint8Array
  client: Libp2p
  server: Libp2p
  stop: () => Promise<void>
}

/** A node that serves one file of 5 MiB, and a peer of it. */
async function serve (
  init: Libp2pGatewayInit = {},
  change: (components: GatewayComponents) => GatewayComponents = components => components,
  bytes = BYTES
): Promise<Served> {
  const [server, client] = await Promise.all([createNode(['/ip4/127.0.0.1/tcp/0']), createNode([])])
  const blockstore = new MemoryBlockstore()
  const fs = ipfsz({ blockstore })
  const cid = await fs.addBytes(bytes, { compression: { codec: 'none' } })
  const stop = await serveOverLibp2p(server, change({ fs, blocks: blockstore }), init)
  onTestFinished(stop)
  const connection = await client.dial(server.getMultiaddrs())

  return { connection, cid, bytes, client, server, stop }
}

interface Received {
  head: string
  body: Buffer
  /** How the stream ended. */
  status: Stream['status'] | 'ended'
}

/** All that arrives on a stream. */
async function receive (stream: Stream): Promise<Received> {
  const chunks: Uint8Array[] = []
  stream.addEventListener('message', ({ data }) => { chunks.push(data.subarray()) })
  const status = await new Promise<Received['status']>(resolve => {
    stream.addEventListener('end', () => { resolve(stream.status === 'open' ? 'ended' : stream.status) })
    stream.addEventListener('close', () => { resolve(stream.status) })
  })
  const all = Buffer.concat(chunks)
  const end = all.indexOf('\r\n\r\n')

  return { head: all.subarray(0, end).toString('latin1'), body: all.subarray(end + 4), status }
}

async function send (connection: Connection, text: string): Promise<Stream> {
  const stream = await connection.newStream(HTTP_PROTOCOL)
  stream.send(new TextEncoder().encode(text))

  return stream
}

async function get (connection: Connection, path: string, fields = ''): Promise<Received> {
  return receive(await send(connection, `GET ${path} HTTP/1.0\r\nHost: any\r\n${fields}\r\n`))
}

describe('serveOverLibp2p', () => {
  it('sends CARs and blocks to a peer, and ends each stream', async () => {
    const { connection, cid, bytes } = await serve()
    const car = await get(connection, `/ipfs/${cid}?format=car&dag-scope=entity`)

    expect(car.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(car.head).toMatch(/content-type: application\/vnd\.ipld\.car/i)
    expect(car.status).toBe('ended')
    const blocks = await Array.fromAsync(await CarBlockIterator.fromBytes(car.body))
    expect(blocks[0].cid.equals(cid)).toBe(true)
    expect(Buffer.compare(Buffer.concat(blocks.slice(1).map(({ bytes }) => bytes)), bytes)).toBe(0)

    const block = await get(connection, `/ipfs/${blocks[1].cid}`, 'Accept: application/vnd.ipld.raw\r\n')
    expect(Buffer.compare(block.body, blocks[1].bytes)).toBe(0)
  })

  it('says where its gateway is, as Kubo does', async () => {
    const { connection } = await serve()
    const { head, body } = await get(connection, '/.well-known/libp2p/protocols')

    expect(head).toMatch(/content-type: application\/json/i)
    expect(JSON.parse(body.toString())).toEqual({ '/ipfs/gateway': { path: '/' } })
  })

  it('is one of the protocols that peers are told, until it ends', async () => {
    const { server, stop } = await serve()

    expect(server.getProtocols()).toContain(HTTP_PROTOCOL)
    await stop()
    expect(server.getProtocols()).not.toContain(HTTP_PROTOCOL)
  })

  it('refuses files as such, names, other paths and methods, and roots that are not served', async () => {
    const { connection, cid } = await serve({ isServed: cid => !cid.toString().startsWith('bafk') })
    const statusOf = async (text: string): Promise<number> =>
      Number((await receive(await send(connection, text))).head.split(' ')[1])
    const requests = [
      [406, `GET /ipfs/${cid} HTTP/1.1\r\nHost: ${cid}.ipfs.localhost\r\nConnection: close\r\n\r\n`],
      [406, `GET /ipfs/${cid} HTTP/1.0\r\nAccept: text/html\r\n\r\n`],
      [501, 'GET /ipns/example.com?format=car HTTP/1.0\r\n\r\n'],
      [404, 'GET / HTTP/1.0\r\n\r\n'],
      [404, `GET //localhost/ipfs/${cid}?format=car HTTP/1.0\r\n\r\n`],
      [405, `POST /ipfs/${cid}?format=car HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello`],
      [404, 'GET /ipfs/bafkqabtimvwgy3yk?format=raw HTTP/1.0\r\n\r\n'],
      [400, 'GET /ipfs HTTP/9.9\r\n\r\n'],
      [400, 'nonsense\r\n\r\n'],
      [431, `GET / HTTP/1.0\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`]
    ] as const

    for (const [status, request] of requests) {
      expect(await statusOf(request), request.slice(0, 100)).toBe(status)
    }
  })

  it('resets the stream if a response breaks off, so that nobody takes it for whole', async () => {
    const errors: unknown[] = []
    let reads = 0
    const { connection, cid } = await serve({ onError: err => { errors.push(err) } }, ({ fs, blocks }) => ({
      fs,
      blocks: {
        has: async () => true,
        async * get (...args) {
          if (++reads > 3) {
            throw new Error('the disk is gone')
          }

          yield * blocks.get(...args)
        }
      }
    }))
    const { status, body } = await get(connection, `/ipfs/${cid}?format=car`)

    expect(status).toBe('reset')
    expect(body.byteLength).toBeLessThan(5 * MIB)
    expect(errors).toHaveLength(1)
  })

  it('holds little for a peer that does not read, and ends with it', { tags: 'slow' }, async () => {
    let reads = 0
    const { connection, cid } = await serve({}, ({ fs, blocks }) => ({
      fs,
      blocks: {
        has: async () => true,
        async * get (...args) {
          reads++
          yield * blocks.get(...args)
        }
      }
    }), noise(24 * MIB))
    // libp2p resets more than 10 streams that arrive before it has taken up the connection: one is answered first
    await get(connection, `/ipfs/${cid}?format=raw`)
    const streams = await Promise.all(Array.from({ length: 20 }, async () => connection.newStream(HTTP_PROTOCOL)))

    for (const stream of streams) {
      // before it asks: then nothing is read, however late this process is
      stream.pause()
      stream.send(new TextEncoder().encode(`GET /ipfs/${cid}?format=car HTTP/1.0\r\n\r\n`))
    }

    // another request is answered meanwhile
    const { body } = await get(connection, `/ipfs/${cid}?format=car`)
    expect(body.byteLength).toBeGreaterThan(24 * MIB)
    // a window of 256 KiB, and what is read ahead: less than half of the 25 blocks
    expect(reads).toBeLessThan(20 * 12)
    streams.forEach(stream => { stream.abort(new Error('enough')) })
  })

  it('resets more streams of a peer than it may have, and answers it again later', async () => {
    const { connection, cid } = await serve({ requestsPerPeer: 2 })
    const streams = await Promise.all([1, 2].map(async () => connection.newStream(HTTP_PROTOCOL)))
    const third = await get(connection, `/ipfs/${cid}?format=raw`).catch(() => ({ head: '' }))

    expect(third.head).toBe('')
    streams.forEach(stream => { stream.abort(new Error('enough')) })
    await expect.poll(async () => {
      const { head } = await get(connection, `/ipfs/${cid}?format=raw`).catch(() => ({ head: '' }))

      return head.split(' ')[1]
    }).toBe('200')
  })

  it('answers 503 above the limit of all peers', async () => {
    const blocked = Promise.withResolvers<void>()
    const { connection, cid } = await serve({ requests: 1 }, ({ fs, blocks }) => ({
      fs,
      blocks: {
        has: async () => true,
        async * get (...args) {
          await blocked.promise
          yield * blocks.get(...args)
        }
      }
    }))
    const first = get(connection, `/ipfs/${cid}?format=raw`)
    await expect.poll(async () => (await get(connection, `/ipfs/${cid}?format=raw`)).head.split(' ')[1]).toBe('503')
    blocked.resolve()
    expect((await first).head).toMatch(/ 200 /)
  })

  it('takes the connection of a peer that goes away', async () => {
    const { connection, cid, client, server } = await serve()
    const stream = await send(connection, `GET /ipfs/${cid}?format=car HTTP/1.0\r\n\r\n`)
    const gone = once(server, 'peer:disconnect')

    stream.pause()
    await client.stop()
    await gone
  })
})
