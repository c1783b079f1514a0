import { compress } from '@ipfsz/libp2p-compression'
import { TypedEventEmitter } from '@libp2p/interface'
import muxerTests from '@libp2p/interface-compliance-tests/stream-muxer'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { afterEach, beforeAll, beforeEach, describe, inject } from 'vitest'
import { provideMocha, slowDown } from '../support/mocha.ts'
import type { CompressionCodec } from '@ipfsz/libp2p-compression'
import type { ComponentLogger, MultiaddrConnection, StreamMuxerFactory, Upgrader } from '@libp2p/interface'

/** The in-memory suite runs them, in the browser too. */
const WITHOUT = [
  // slows the in-memory connection down through a field that other connections lack
  'should abort close due to timeout with slow sender',
  // take ten seconds and more than a minute. Those with 1000 streams and with 100 messages each are run here too
  '1000 stream(s) with 10 msg(s)',
  '1000 stream(s) with 100 msg(s)'
]

// the in-memory suite runs with lz4 too: a WebSocket does not see the difference
describe('yamux compressed with gzip over WebSockets in a browser, stream muxer compliance suite', () => {
  provideMocha({ without: WITHOUT })

  let logger: ComponentLogger
  const dialled: MultiaddrConnection[] = []

  beforeAll(async () => {
    ({ logger } = await createLibp2p({ start: false }))
  })

  // the suite allows 20 ms for what is instant in memory, but not between a page and Node
  beforeEach(() => slowDown(10))

  // bytes that one test left unsent would delay the next
  afterEach(async () => {
    await Promise.all(dialled.splice(0).map(async connection => connection.close()))
  })

  muxerTests({
    setup: async () => {
      const connection = await dialRaw(logger)
      dialled.push(connection)

      return overWebSockets(connection, 'gzip')
    },
    teardown: async () => {}
  })
})

/**
 * The suite connects two muxers in memory, and closes that connection. Here the bytes of
 * a muxer go over WebSockets to Node and back instead.
 */
function overWebSockets (connection: MultiaddrConnection, codec: CompressionCodec): StreamMuxerFactory {
  const factory = compress(yamux(), { codecs: [codec] })[0]({})

  return {
    protocol: factory.protocol,
    createStreamMuxer: (inMemory: MultiaddrConnection) => {
      connection.direction = inMemory.direction
      inMemory.addEventListener('close', ({ error }) => {
        if (error != null) {
          connection.abort(error)
        } else {
          connection.close().catch(err => { connection.abort(err as Error) })
        }
      })

      return factory.createStreamMuxer(connection)
    }
  }
}

/** A WebSocket connection on which nothing is negotiated yet. */
async function dialRaw (logger: ComponentLogger): Promise<MultiaddrConnection> {
  return new Promise((resolve, reject) => {
    const upgradeOutbound = async (connection: MultiaddrConnection): Promise<void> => { resolve(connection) }

    webSockets()({ logger, events: new TypedEventEmitter() })
      .dial(multiaddr(inject('joinAddress')), {
        upgrader: { upgradeOutbound } as unknown as Upgrader,
        signal: AbortSignal.timeout(10_000)
      })
      .catch(reject)
  })
}
