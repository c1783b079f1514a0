// @helia/bitswap 4.0.19: does not send a block a second time
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import { createLibp2p } from 'libp2p'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'

const options = () => ({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: { identify: identify() }
})
const helia = withBitswap(withLibp2pLight(createHeliaLight(), options()))
await helia.start()
const peer = await createLibp2p(options())
const bytes = Buffer.from('a block that is asked for twice')
const cid = CID.createV1(raw.code, await sha256.digest(bytes))
await helia.blockstore.put(cid, bytes)
let received = 0
await peer.handle('/ipfs/bitswap/1.2.0', stream => {
  stream.addEventListener('message', ({ data }) => {
    received += Buffer.from(data.subarray()).includes(bytes) ? 1 : 0
  })
})
const { remotePeer } = await peer.dial(helia.libp2p.getMultiaddrs())

for (let i = 0; i < 2; i++) {
  const stream = await peer.dialProtocol(remotePeer, '/ipfs/bitswap/1.2.0')
  // a message with a want list of one entry: the CID (field 1) and a priority (field 2), as protobuf
  const entry = [0x0a, cid.bytes.byteLength, ...cid.bytes, 0x10, 1]
  const list = [0x0a, entry.length, ...entry]
  stream.send(Uint8Array.of(list.length + 2, 0x0a, list.length, ...list))
  await stream.close()
  await new Promise(resolve => setTimeout(resolve, 1000))
}

// prints 1; expected: 2
console.info(received)
await Promise.all([helia.stop(), peer.stop()])
