// libp2p 3.3.11: no hook to offer another protocol first
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createLibp2p } from 'libp2p'

const [here, there] = await Promise.all([1, 2].map(() => createLibp2p({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()]
})))
const negotiated = []
await there.handle(['/test', '/zstd/test'], stream => { void stream.close() })
here.use('/test', (stream, connection, next) => {
  negotiated.push(stream.protocol)
  next(stream, connection)
})
await here.dialProtocol(there.getMultiaddrs(), '/test')

// prints /test: a middleware runs after the protocol was negotiated, so it cannot offer /zstd/test
console.info(negotiated.join())
await Promise.all([here.stop(), there.stop()])
