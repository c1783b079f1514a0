// libp2p 3.3.11: a protocol with a middleware calls its handler once more with each stream
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
let calls = 0
there.use('/test', (stream, connection, next) => { next(stream, connection) })
await there.handle('/test', stream => {
  calls++
  stream.send(Uint8Array.of(1))
})

for (let i = 0; i < 2; i++) {
  const stream = await here.dialProtocol(there.getMultiaddrs(), '/test')
  await stream[Symbol.asyncIterator]().next()
}

await new Promise(resolve => setTimeout(resolve, 200))
// prints 2; before: 3
console.info(calls)
await Promise.all([here.stop(), there.stop()])
