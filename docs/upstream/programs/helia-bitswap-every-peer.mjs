// @helia/bitswap 4.0.19: asks every peer for every block
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import { createLibp2p } from 'libp2p'
import { CID } from 'multiformats/cid'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const options = () => ({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: { identify: identify() }
})
const helia = withBitswap(withLibp2pLight(createHeliaLight(), options()))
await helia.start()
const peers = await Promise.all([1, 2].map(async () => createLibp2p(options())))
let asked = 0

for (const peer of peers) {
  await peer.handle('/ipfs/bitswap/1.2.0', stream => {
    stream.addEventListener('message', ({ data }) => {
      // the CID of a want in the message, and no field wantType 1 (WantHave) after it
      const text = Buffer.from(data.subarray())

      if (text.includes(cid.bytes) && !text.includes(Buffer.of(0x20, 1))) {
        asked++
      }
    })
  })
  await helia.libp2p.dial(peer.getMultiaddrs())
}

const signal = AbortSignal.timeout(1000)
await Promise.resolve(helia.blockstore.get(cid, { signal }).next()).catch(() => {})

// prints 2: both peers are asked for the block, and both would send it; expected: 1
console.info(asked)
await Promise.all([helia, ...peers].map(async node => node.stop()))
