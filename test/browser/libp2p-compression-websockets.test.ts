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

provideMocha({
  without: [
    // it makes the connection in memory slow, by a field that no other has
    'should abort close due to timeout with slow sender',
    // it takes more than a minute; the suite in memory has it
    '1000 stream(s) with 100 msg(s)'
  ]
})

describe.each(
  ['gzip', 'lz4'] as const
)('in a browser, yamux compressed with %s and sent by WebSockets, by the compliance suite of stream muxers', codec => {
  let logger: ComponentLogger
  const dialled: MultiaddrConnection[] = []

  beforeAll(async () => {
    ({ logger } = await createLibp2p({ start: false }))
  })

  // the suite gives a page and its peer in Node 20 ms for what takes none in memory
  beforeEach(() => slowDown(10))

  // what a test has left to be sent would take the time of the next
  afterEach(async () => {
    await Promise.all(dialled.splice(0).map(async connection => connection.close()))
  })

  muxerTests({
    setup: async () => {
      const connection = await dialRaw(logger)
      dialled.push(connection)

      return overWebSockets(connection, codec)
    },
    teardown: async () => {}
  })
})

/**
 * The suite joins both ends of a connection in memory, and closes them. What a muxer
 * sends and receives goes by WebSockets to Node and back instead.
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

/** A connection by WebSockets before anything is negotiated on it. */
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
