// @libp2p/tcp 11.0.28: a packet for each part of a message
import { Socket } from 'node:net'
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
await there.handle('/test', stream => { void stream.close() })
const connection = await here.dial(there.getMultiaddrs())
const { write } = Socket.prototype
const sizes = []
Socket.prototype.write = function (bytes, ...args) {
  sizes.push(bytes.byteLength)
  return write.call(this, bytes, ...args)
}
await connection.newStream('/test')

// prints true: the length of a message of Noise is written on its own; expected: false
console.info(sizes.includes(2))
await Promise.all([here.stop(), there.stop()])
