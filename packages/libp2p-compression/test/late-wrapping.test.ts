import { setImmediate } from 'node:timers/promises'
import { multiaddrConnectionPair, streamPair } from '@libp2p/utils'
import { yamux } from '@libp2p/yamux'
import { afterEach, describe, expect, it } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { codecsByType } from '../src/negotiation/codec-names.ts'
import { CompressedStream } from '../src/connection/compressed-stream.ts'
import { encodeStoredHeader } from '../src/frames/frame.ts'
import { compress, compressProtocols } from '../src/index.ts'
import { Traffic } from '../src/traffic.ts'
import { CODECS, compressed, gather } from './fixtures.ts'
import { ECHO, startNode } from './nodes.ts'
import type { Libp2p, Stream } from '@libp2p/interface'

const BYTES = text(5000)
const FRAME = Buffer.concat([encodeStoredHeader(BYTES.byteLength), BYTES])
const nodes: Libp2p[] = []

function wrap (inner: Stream): CompressedStream {
  return new CompressedStream(
    inner,
    ECHO,
    { codec: CODECS[0][1], level: 1, codecs: codecsByType(), traffic: new Traffic('/zstd', inner.direction) }
  )
}

/** Records the events of a stream, in order. */
function events (stream: CompressedStream): string[] {
  const told: string[] = []
  stream.addEventListener('message', ({ data }) => { told.push(`message ${data.byteLength}`) })

  for (const event of ['remoteCloseWrite', 'end', 'close'] as const) {
    stream.addEventListener(event, () => { told.push(event) })
  }

  return told
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async node => node.stop()))
})

describe('a stream that is wrapped late', () => {
  it('reports that the other side has closed for writing, and delivers the bytes before', async () => {
    const [outbound, inbound] = await streamPair()
    outbound.send(FRAME)
    await outbound.close()
    await expect.poll(() => inbound.remoteWriteStatus).toBe('closed')

    const stream = wrap(inbound)
    const told = events(stream)
    await expect.poll(() => told.length).toBe(3)

    expect(told.toSorted()).toEqual(['end', 'message 5000', 'remoteCloseWrite'])
    expect(stream.remoteWriteStatus).toBe('closed')
    expect(stream.writeStatus).toBe('writable')
  })

  it('closes when this side closes, if the other side has closed for writing', async () => {
    const [outbound, inbound] = await streamPair()
    outbound.send(FRAME)
    await outbound.close()
    await expect.poll(() => inbound.remoteWriteStatus).toBe('closed')

    const stream = wrap(inbound)
    const told = events(stream)
    await stream.close()
    await expect.poll(() => told).toContain('close')

    expect(told).toContain('message 5000')
    expect(stream.status).toBe('closed')
    expect(inbound.status).toBe('closed')
  })

  it('reports that the other side has ended within a frame', async () => {
    const [outbound, inbound] = await streamPair()
    outbound.send(FRAME.subarray(0, 1000))
    await outbound.close()
    await expect.poll(() => inbound.remoteWriteStatus).toBe('closed')

    expect(await gather(wrap(inbound)).closed).toMatchObject({ name: 'TruncatedFrameError' })
  })

  it('is reset if the other side has reset it', async () => {
    const [outbound, inbound] = await streamPair()
    outbound.abort(new Error('enough'))
    await expect.poll(() => inbound.status).toBe('reset')

    const stream = wrap(inbound)

    expect(await gather(stream).closed).toMatchObject({ name: 'StreamResetError' })
    expect(stream.status).toBe('reset')
  })
})

describe('a connection that is wrapped late', () => {
  it('is closed if the other side has closed it, and delivers the bytes before', async () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    outbound.send(FRAME)
    await outbound.close()
    await expect.poll(() => inbound.status).toBe('closed')

    const { connection } = compressed(inbound, CODECS[0][1])
    const gathered = gather(connection)

    expect(await gathered.closed).toBeUndefined()
    expect(Buffer.compare(gathered.bytes(), BYTES)).toBe(0)
    expect(connection.status).toBe('closed')
  })

  it('ends its muxer if the other side has reset it', async () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    outbound.abort(new Error('enough'))
    await expect.poll(() => inbound.status).toBe('reset')

    const muxer = compress(yamux())[0]({}).createStreamMuxer(inbound)

    await expect.poll(() => muxer.status).toBe('closed')
  })
})

it('compressProtocols delivers what a peer wrote before it closed, even if the handler runs later', async () => {
  const there = await startNode({
    listen: '/ip4/127.0.0.1/tcp/0',
    services: { compression: compressProtocols({ protocols: [ECHO] }) }
  })
  const here = await startNode({})
  nodes.push(there, here)
  const heard = new Promise<Uint8Array>((resolve, reject) => {
    void there.handle(ECHO, stream => {
      const gathered = gather(stream)
      stream.addEventListener('end', () => { resolve(gathered.bytes()) })
      stream.addEventListener('close', ({ error }) => { reject(error ?? new Error('closed without its end')) })
    }, { force: true })
  })
  const connection = await here.dial(there.getMultiaddrs())
  await expect.poll(() => there.getConnections().length).toBe(1)
  const { peerStore } = there
  const merge = peerStore.merge.bind(peerStore)

  // delay the handler until all bytes have arrived, as libp2p may do after negotiation
  peerStore.merge = async (peer, data, options) => {
    if (data.protocols?.[0]?.startsWith('/ipfsz/') === true) {
      for (let inbound: Stream | undefined; inbound?.remoteWriteStatus !== 'closed';) {
        inbound = there.getConnections()[0].streams.find(({ protocol }) => protocol.endsWith(ECHO))
        await setImmediate()
      }
    }

    return merge(peer, data, options)
  }

  const stream = await connection.newStream(`/ipfsz/zstd/1.0.0${ECHO}`)
  stream.send(FRAME)
  await stream.close()

  expect(Buffer.compare(await heard, BYTES)).toBe(0)
})
