// @helia/bitswap 4.0.19: forgets a want that is repeated
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
// the default is 10 ms
const helia = withBitswap(withLibp2pLight(createHeliaLight(), options()), { sendWantlistDebounce: 500 })
await helia.start()
const peer = await createLibp2p(options())
let messages = 0
await peer.handle('/ipfs/bitswap/1.2.0', stream => {
  stream.addEventListener('message', ({ data }) => {
    messages += Buffer.from(data.subarray()).includes(cid.bytes) ? 1 : 0
  })
})
await helia.libp2p.dial(peer.getMultiaddrs())
const want = async signal => Promise.resolve(helia.blockstore.get(cid, { signal }).next()).catch(() => {})

await want(AbortSignal.timeout(1500))
await want(AbortSignal.timeout(3000))

// prints 1: neither the cancel nor the second want was sent; expected: 2 or more
console.info(messages)
await Promise.all([helia.stop(), peer.stop()])
