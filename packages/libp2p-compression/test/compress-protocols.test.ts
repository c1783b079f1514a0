/** @module-tag long */
import { yamux } from '@libp2p/yamux'
import { afterEach, describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { compressProtocols } from '../src/index.ts'
import { CompressedStream } from '../src/connection/compressed-stream.ts'
import { gather } from './fixtures.ts'
import { ECHO, startNode } from './nodes.ts'
import type { NodeInit } from './nodes.ts'
import type { CompressionCodec } from '../src/index.ts'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'

const MIB = 1024 * 1024
const BYTES = text(200_000)
const VARIANT = `/ipfsz/zstd/1.0.0${ECHO}`
const nodes: Libp2p[] = []

interface Pair {
  here: Libp2p
  there: Libp2p
  connection: Connection
}

async function start (
  codecs?: CompressionCodec[],
  protocols = [ECHO],
  muxer?: NodeInit['muxer']
): Promise<Libp2p> {
  const node = await startNode({
    ...muxer == null ? {} : { muxer },
    listen: '/ip4/127.0.0.1/tcp/0',
    services: codecs == null ? {} : { compression: compressProtocols({ protocols, codecs }) }
  })
  nodes.push(node)

  return node
}

/** Two connected nodes that know each other's protocols. */
async function connect (here: Libp2p, there: Libp2p): Promise<Pair> {
  const identified = new Promise(resolve => { here.addEventListener('peer:identify', resolve, { once: true }) })
  const connection = await here.dial(there.getMultiaddrs())
  await identified

  return { here, there, connection }
}

async function open ({ here, there }: Pair): Promise<Stream> {
  return here.dialProtocol(there.peerId, ECHO)
}

/** Everything that comes back until both sides have closed. */
async function echo (stream: Stream, bytes: Uint8Array): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  stream.addEventListener('message', ({ data }) => { pieces.push(data.subarray()) })
  const closed = new Promise<void>((resolve, reject) => {
    stream.addEventListener('close', ({ error }) => {
      if (error == null) {
        resolve()
      } else {
        reject(error)
      }
    })
  })

  stream.send(bytes)
  await stream.close()
  await closed

  return new Uint8Array(Buffer.concat(pieces))
}

/** Whether the other side resets a stream, before or after it is open on this side. */
async function refused (opening: Promise<Stream>): Promise<boolean> {
  try {
    const stream = await opening

    if (stream.status === 'open') {
      await new Promise(resolve => { stream.addEventListener('close', resolve) })
    }

    return stream.status === 'reset'
  } catch (err) {
    return (err as Error).name === 'StreamResetError'
  }
}

/** The protocol ids of the streams of a connection. */
function onTheWire ({ connection }: Pair): string[] {
  return connection.streams.map(({ protocol }) => protocol).filter(protocol => protocol.endsWith(ECHO))
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async node => node.stop()))
})

describe('compressProtocols', () => {
  it.each(
    ['zstd', 'gzip', 'lz4'] as const
  )('compresses streams with %s if both sides support it', async codec => {
    const pair = await connect(await start([codec]), await start([codec]))

    const stream = await open(pair)

    expect(stream).toBeInstanceOf(CompressedStream)
    expect(stream.protocol).toBe(ECHO)
    expect(onTheWire(pair)).toEqual([codec === 'gzip' ? `/ipfsz/deflate/1.0.0${ECHO}` : VARIANT.replace('zstd', codec)])
    expect(Buffer.compare(await echo(stream, BYTES), BYTES)).toBe(0)
  })

  it.each([
    ['only the dialer compresses', ['zstd'], undefined],
    ['only the listener compresses', undefined, ['zstd']],
    ['the sides have no codec in common', ['lz4'], ['zstd']]
  ] as Array<[
    string,
    CompressionCodec[] | undefined,
    CompressionCodec[] | undefined
  ]>)('leaves streams plain if %s', async (_, one, other) => {
    const pair = await connect(await start(one), await start(other))

    const stream = await open(pair)

    expect(stream).not.toBeInstanceOf(CompressedStream)
    expect(onTheWire(pair)).toEqual([ECHO])
    expect(Buffer.compare(await echo(stream, BYTES), BYTES)).toBe(0)
  })

  it('leaves other protocols of the same connection plain', async () => {
    const pair = await connect(await start(['zstd'], ['/other']), await start(['zstd'], ['/other']))

    expect(await open(pair)).not.toBeInstanceOf(CompressedStream)
    expect(pair.connection.multiplexer).toBe('/yamux/1.0.0')
  })

  it('uses the codec that the opening side prefers', async () => {
    const pair = await connect(await start(['lz4', 'zstd']), await start(['zstd', 'lz4']))

    await open(pair)

    expect(onTheWire(pair)).toEqual([VARIANT.replace('zstd', 'lz4')])
  })

  it('opens a stream by address to a peer that has not announced support yet', async () => {
    const there = await start(['zstd'])
    const here = await start(['zstd'])

    const stream = await here.dialProtocol(there.getMultiaddrs(), ECHO)

    expect(Buffer.compare(await echo(stream, BYTES), BYTES)).toBe(0)
  })

  it('delivers inbound bytes after this side has closed for writing', async () => {
    const there = await start(['zstd'])
    const received = new Promise<Stream>(resolve => { void there.handle(ECHO, resolve, { force: true }) })
    const pair = await connect(await start(['zstd']), there)
    const stream = await open(pair)
    const message = new Promise<Uint8Array>(
      resolve => { stream.addEventListener('message', ({ data }) => { resolve(data.subarray()) }) }
    )

    stream.send(text(100))
    await stream.close()
    const inbound = await received
    await new Promise<void>(resolve => {
      inbound.addEventListener('message', () => {})
      inbound.addEventListener('end', () => { resolve() })
    })
    inbound.send(BYTES.subarray(0, 1000))

    expect(await message).toEqual(BYTES.subarray(0, 1000))
    expect([stream.writeStatus, stream.status]).toEqual(['closed', 'open'])
  })

  it('reports the remote close after the last bytes, even if both sides have closed', async () => {
    const there = await start(['zstd'])
    const heard = new Promise<string[]>(resolve => {
      void there.handle(ECHO, async stream => {
        const events: string[] = []
        let length = 0
        stream.addEventListener('message', ({ data }) => {
          length += data.byteLength
          events.push(`message ${length}`)
        })
        stream.addEventListener('remoteCloseWrite', () => { events.push('remoteCloseWrite') })
        stream.addEventListener('close', () => {
          events.push('close')
          resolve(events)
        })
        // like Bitswap, which only reads
        await stream.close()
      }, { force: true })
    })
    const pair = await connect(await start(['zstd']), there)
    const stream = await open(pair)

    stream.send(BYTES.subarray(0, 60_000))
    await stream.close()

    expect((await heard).slice(-3)).toEqual(['message 60000', 'remoteCloseWrite', 'close'])
  })

  it('resets the other side when a stream is aborted', async () => {
    const there = await start(['zstd'])
    const received = new Promise<Stream>(resolve => { void there.handle(ECHO, resolve, { force: true }) })
    const pair = await connect(await start(['zstd']), there)
    const stream = await open(pair)
    const inbound = await received
    const closed = new Promise<Error | undefined>(
      resolve => { inbound.addEventListener('close', ({ error }) => { resolve(error) }) }
    )

    stream.abort(new Error('enough'))

    expect(await closed).toMatchObject({ name: 'StreamResetError' })
    expect(pair.connection.status).toBe('open')
  })

  it('resets only the stream that receives an invalid frame', async () => {
    const there = await start(['zstd'])
    const received = new Promise<Stream>(resolve => { void there.handle(ECHO, resolve, { force: true }) })
    const pair = await connect(await start(), there)
    const stream = await pair.connection.newStream(VARIANT)
    stream.send(new Uint8Array(10).fill(99))

    const inbound = await received
    const error = await new Promise(resolve => { inbound.addEventListener('close', ({ error }) => { resolve(error) }) })

    expect(error).toMatchObject({ name: 'MalformedFrameError', type: 99 })
    expect(pair.connection.status).toBe('open')
  })

  it('runs the middleware of a protocol once on each compressed stream, after decompression', async () => {
    const there = await start(['zstd'])
    const pair = await connect(await start(['zstd']), there)
    const seen: string[] = []
    let handled = 0
    await there.handle(ECHO, stream => {
      handled++
      void stream.close()
    }, { force: true })
    there.use(ECHO, (stream, connection, next) => {
      seen.push(`${stream.protocol} ${stream instanceof CompressedStream}`)
      next(stream, connection)
    })

    for (let i = 0; i < 2; i++) {
      await echo(await open(pair), text(100))
    }
    await echo(await pair.connection.newStream(ECHO), text(100))
    await echo(await open(pair), text(100))

    expect(seen).toEqual([`${ECHO} true`, `${ECHO} true`, `${ECHO} false`, `${ECHO} true`])
    expect(handled).toBe(4)
  })

  it('lets the middleware of a protocol refuse its compressed streams', async () => {
    const there = await start(['zstd'])
    const pair = await connect(await start(['zstd']), there)
    let handled = 0
    await there.handle(ECHO, () => { handled++ }, { force: true })
    there.use(ECHO, () => { throw new Error('denied') })

    expect(await refused(open(pair))).toBe(true)
    expect(handled).toBe(0)
  })

  it('counts plain and compressed inbound streams against one limit', async () => {
    const there = await start(['zstd', 'lz4'])
    let handled = 0
    let handledTwo: (() => void) | undefined
    const two = new Promise<void>(resolve => { handledTwo = resolve })
    await there.handle(ECHO, () => {
      handled++

      if (handled === 2) {
        handledTwo?.()
      }
    }, { force: true, maxInboundStreams: 2 })
    const { connection } = await connect(await start(), there)

    await connection.newStream(ECHO)
    await connection.newStream(VARIANT)
    await two

    expect(await refused(connection.newStream(VARIANT.replace('zstd', 'lz4')))).toBe(true)
    expect(handled).toBe(2)
    // nothing else closes the two streams
    connection.abort(new Error('enough'))
  })

  it('counts plain and compressed outbound streams against one limit', async () => {
    const here = await start(['zstd'])
    await here.handle(ECHO, () => {}, { force: true, maxOutboundStreams: 1 })
    const pair = await connect(here, await start(['zstd']))
    await pair.connection.newStream(ECHO)

    await expect(open(pair)).rejects.toMatchObject({ name: 'TooManyOutboundProtocolStreamsError' })
    expect(onTheWire(pair)).toEqual([ECHO])
  })

  it('dials a new connection for a stream with force: true', async () => {
    const there = await start(['zstd'])
    const { here } = await connect(await start(['zstd']), there)

    await here.dialProtocol(there.getMultiaddrs(), ECHO, { force: true })

    expect(here.getConnections()).toHaveLength(2)
  })

  it('keeps what arrives while a handler has paused its stream, as much as the muxer lets through', async () => {
    const bytes = noise(8 * MIB)
    const muxer = yamux({ streamOptions: { initialStreamWindowSize: 16 * MIB, maxStreamWindowSize: 16 * MIB } })
    const [here, there] = [await start(['zstd'], [ECHO], muxer), await start(['zstd'], [ECHO], muxer)]
    const paused = new Promise<Stream>(resolve => {
      void there.handle(ECHO, stream => {
        stream.pause()
        resolve(stream)
      }, { force: true })
    })
    const stream = await open(await connect(here, there))
    stream.send(bytes)
    const received = gather(await paused)
    await stream.close()
    // all of it has arrived
    const inner = there.getConnections()[0].streams.find(({ protocol }) => protocol === VARIANT)
    await expect.poll(() => inner?.remoteWriteStatus).toBe('closed')
    const handled = await paused
    handled.resume()

    expect(Buffer.compare(await received.has(bytes.byteLength), bytes)).toBe(0)
  })

  it('stops handling the compressed variants of a protocol when the protocol is unhandled', async () => {
    const there = await start(['zstd'])
    await there.unhandle(ECHO)

    expect(there.getProtocols().filter(protocol => protocol.endsWith(ECHO))).toEqual([])
  })
})
