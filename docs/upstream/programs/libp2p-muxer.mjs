// libp2p 3.3.11: the connection that a muxer was made with is never closed, and a connection has no way to its muxer
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'

let closed = 0

/** Yamux, over a connection whose `close` is counted, as a wrapper of connections would need it. */
function counting () {
  return components => {
    const factory = yamux()(components)
    const { createStreamMuxer } = factory

    factory.createStreamMuxer = connection => {
      const { close } = connection
      connection.close = async (...args) => {
        closed++
        await close.apply(connection, args)
      }

      return createStreamMuxer.call(factory, connection)
    }

    return factory
  }
}

const [here, there] = await Promise.all([1, 2].map(() => createLibp2p({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [counting()]
})))
const connection = await here.dial(there.getMultiaddrs())
await connection.close()
await Promise.all([here.stop(), there.stop()])

// prints 0; expected: 2, one of each side. The interface of a connection has no muxer either
console.info(closed)
