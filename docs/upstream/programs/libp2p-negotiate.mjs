// libp2p 3.3.11: each stream waits for a round trip before it sends
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
const connection = await here.dial(there.getMultiaddrs())
const opened = connection.newStream('/not/spoken', { negotiateFully: false }).then(() => 'a stream', err => err.name)

// prints UnsupportedProtocolError: the answer was waited for; expected: a stream, which fails when it is read
console.info(await opened)
await Promise.all([here.stop(), there.stop()])
