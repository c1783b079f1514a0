import { multiaddrConnectionPair } from '@libp2p/utils'
import { yamux } from '@libp2p/yamux'
import { describe, expect, it } from 'vitest'
import { text } from '../../../test/support/data.ts'
import { compress, trafficOf } from '../src/index.ts'
import { encodeCompressedHeader, FRAME } from '../src/frames/frame.ts'
import type { CounterGroup, Metrics, Stream } from '@libp2p/interface'

describe('compress', () => {
  it('returns one muxer for each codec, in order of preference', () => {
    expect(compress(yamux()).map(create => create({}).protocol)).toEqual([
      '/ipfsz/zstd/1.0.0/yamux/1.0.0',
      '/ipfsz/deflate/1.0.0/yamux/1.0.0',
      '/ipfsz/lz4/1.0.0/yamux/1.0.0'
    ])
    expect(compress(yamux(), { codecs: ['lz4', 'zstd'] }).map(create => create({}).protocol)).toEqual([
      '/ipfsz/lz4/1.0.0/yamux/1.0.0',
      '/ipfsz/zstd/1.0.0/yamux/1.0.0'
    ])
    expect(compress(yamux(), { codecs: [] })).toEqual([])
  })

  it('refuses an unknown level or codec', () => {
    expect(() => compress(yamux(), { level: 99 })).toThrow(expect.objectContaining({ name: 'InvalidLevelError' }))
    expect(() => compress(yamux(), { codecs: ['snappy' as 'zstd'] }))
      .toThrow(expect.objectContaining({ name: 'UnknownCodecError' }))
  })

  it('makes a muxer whose streams end with the error of the connection', async () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    const muxer = compress(yamux())[0]({}).createStreamMuxer(inbound)
    const stream = await muxer.createStream()
    const closed = new Promise<Error | undefined>(
      resolve => { stream.addEventListener('close', ({ error }) => { resolve(error) }) }
    )

    outbound.send(encodeCompressedHeader(FRAME.zstd, 1, 65536))
    outbound.send(encodeCompressedHeader(FRAME.zstd, 1, 65536))
    outbound.send(new Uint8Array(8))

    expect(await closed).toMatchObject({ name: expect.stringMatching(/^(DecompressionBombError|CorruptFrameError)$/) })
    expect(muxer.status).toBe('closed')
    expect(inbound.status).toBe('aborted')
  })

  it('makes a muxer that closes after all written bytes have been sent', async () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    const [factory] = compress(yamux()).map(create => create({}))
    const dialer = factory.createStreamMuxer(outbound)
    const listener = factory.createStreamMuxer(inbound)
    let received = 0
    const ended = new Promise<void>(resolve => {
      listener.addEventListener('stream', ({ detail }: CustomEvent<Stream>) => {
        detail.addEventListener('message', ({ data }) => { received += data.byteLength })
        detail.addEventListener('remoteCloseWrite', () => {
          resolve()
          void detail.close()
        })
      })
    })
    const stream = await dialer.createStream()

    stream.send(text(100_000))
    await dialer.close()
    // like libp2p: closes the inner connection, not the compressed one
    await outbound.close()
    await ended

    expect(received).toBe(100_000)
  })

  it('makes muxers that report their traffic, even if they share a logger with a plain muxer', () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    inbound.log = outbound.log
    const [zstd, deflate] = compress(yamux()).map(create => create({}))
    const dialer = zstd.createStreamMuxer(outbound)
    const listener = deflate.createStreamMuxer(inbound)
    const [plainEnd] = multiaddrConnectionPair()
    plainEnd.log = outbound.log
    const plain = yamux()().createStreamMuxer(plainEnd)

    expect([dialer, listener, plain].map(muxer => trafficOf(muxer)?.protocol))
      .toEqual([zstd.protocol, deflate.protocol, undefined])
  })

  it('makes muxers that count bytes by protocol and direction in one metric for all codecs', async () => {
    const counted: Record<string, number> = {}
    const registered: string[] = []
    const group = {
      increment: (values: Record<string, number>) => {
        for (const [name, value] of Object.entries(values)) {
          counted[name] = (counted[name] ?? 0) + value
        }
      }
    } as CounterGroup
    const metrics = {
      registerCounterGroup: (name: string) => {
        registered.push(name)

        return group
      }
    } as unknown as Metrics
    const [zstd, deflate] = compress(yamux()).map(create => create({ metrics }))
    const [outbound, inbound] = multiaddrConnectionPair()
    const dialer = zstd.createStreamMuxer(outbound)
    deflate.createStreamMuxer(inbound)

    const stream = await dialer.createStream()
    stream.send(text(1000))
    await dialer.close()

    expect(registered).toEqual(['libp2p_compression_bytes_total'])
    expect(counted).toMatchObject({
      '/ipfsz/zstd/1.0.0/yamux/1.0.0 sent raw': trafficOf(dialer)?.sent.raw,
      '/ipfsz/zstd/1.0.0/yamux/1.0.0 sent compressed': trafficOf(dialer)?.sent.compressed
    })
    expect(trafficOf(dialer)?.sent.raw).toBeGreaterThan(1000)
    expect(trafficOf(dialer)?.sent.compressed).toBeLessThan(1000)
  })
})
