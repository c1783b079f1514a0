// @helia/bitswap 4.0.19: sends all blocks of a message on one stream
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import { createLibp2p } from 'libp2p'

const MIB = 2 ** 20
const options = () => ({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: { identify: identify() }
})
const helia = withBitswap(withLibp2pLight(createHeliaLight(), options()))
const add = helia.addBlockBroker.bind(helia)
let broker
helia.addBlockBroker = added => {
  broker = added
  add(added)
}
await helia.start()
const peer = await createLibp2p(options())
let streams = 0
let received = 0
const arrived = new Promise(resolve => {
  peer.handle('/ipfs/bitswap/1.2.0', stream => {
    streams++
    stream.addEventListener('message', ({ data }) => {
      received += data.byteLength

      if (received > 6 * MIB) {
        resolve()
      }
    })
  })
})
await helia.libp2p.dial(peer.getMultiaddrs())
const prefix = Uint8Array.of(1, 0x55, 0x12, 32)
const blocks = new Map(Array.from({ length: 6 }, (_, i) => [`${i}`, { prefix, data: new Uint8Array(MIB) }]))
await broker.bitswap.network.sendMessage(peer.peerId, {
  full: false, pendingBytes: 0, wantlist: new Map(), blockPresences: new Map(), blocks
})
await arrived

// prints 1 for 6 blocks of 1 MiB, though a stream that is not read yet holds 4 MiB; expected: more
console.info(streams)
await Promise.all([helia.stop(), peer.stop()])
