import { compress, trafficOf } from '@ipfsz/libp2p-compression'
import muxerTests from '@libp2p/interface-compliance-tests/stream-muxer'
import { noise as encryption } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { provideMocha, slowDownClosing } from '../support/mocha.ts'
import { same } from '../support/data.ts'
import { noise, text } from '../support/data.ts'
import type { CompressionCodec } from '@ipfsz/libp2p-compression'
import type { Libp2p } from '@libp2p/interface'

const ECHO = '/ipfsz/test/echo/1.0.0'

provideMocha()

// over WebSockets: libp2p-compression-websockets.test.ts
describe.each(
  ['gzip', 'lz4'] as const
)('yamux compressed with %s in a browser, stream muxer compliance suite', { tags: 'nightly' }, codec => {
  beforeEach(slowDownClosing)

  muxerTests({
    setup: async () => compress(yamux(), { codecs: [codec] })[0]({}),
    teardown: async () => {}
  })
})

async function startNode (codecs?: CompressionCodec[]): Promise<Libp2p> {
  return createLibp2p({
    transports: [webSockets()],
    connectionEncrypters: [encryption()],
    streamMuxers: [...compress(yamux(), codecs == null ? {} : { codecs }), yamux()],
    connectionGater: { denyDialMultiaddr: () => false }
  })
}

describe('a browser that dials Node over WebSockets', () => {
  it.each([
    ['gzip, the best codec that both have', undefined, '/ipfsz/deflate/1.0.0/yamux/1.0.0'],
    ['lz4 if it offers nothing else', ['lz4'], '/ipfsz/lz4/1.0.0/yamux/1.0.0'],
    ['nothing if it offers only zstd, which browsers lack', ['zstd'], '/yamux/1.0.0']
  ] as Array<[string, CompressionCodec[] | undefined, string]>)('compresses with %s', async (_, codecs, protocol) => {
    const node = await startNode(codecs)
    const connection = await node.dial(multiaddr(inject('echoAddress')))
    const bytes = new Uint8Array([...text(200_000), ...noise(100_000), ...text(200_000, 2)])
    const back = new Uint8Array(bytes.byteLength)
    let length = 0

    const stream = await connection.newStream(ECHO)
    const closed = new Promise<Error | undefined>(
      resolve => { stream.addEventListener('close', ({ error }) => { resolve(error) }) }
    )
    stream.addEventListener('message', ({ data }) => {
      back.set(data.subarray(), length)
      length += data.byteLength
    })
    stream.send(bytes)
    await stream.close()

    expect(await closed).toBeUndefined()
    expect(connection.multiplexer).toBe(protocol)
    expect(same(back, bytes)).toBe(true)

    if (protocol === '/yamux/1.0.0') {
      expect(trafficOf(connection)).toBeUndefined()
    } else {
      expect(trafficOf(connection)?.sent.compressed).toBeLessThan(0.75 * bytes.byteLength)
      expect(trafficOf(connection)?.received.compressed).toBeLessThan(0.75 * bytes.byteLength)
    }

    await node.stop()
  })
})
