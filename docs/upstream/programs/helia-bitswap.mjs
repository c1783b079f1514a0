// @helia/bitswap 4.0.19: listens to a stream only after it has closed its own side
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { streamPair } from '@libp2p/utils'
import { createHeliaLight } from 'helia'

const helia = withBitswap(withLibp2pLight(createHeliaLight(), { addresses: { listen: [] } }))
const add = helia.addBlockBroker.bind(helia)
let broker
helia.addBlockBroker = added => {
  broker = added
  add(added)
}
await helia.start()
const [, stream] = await streamPair({ protocol: '/ipfs/bitswap/1.2.0' })
// as on a busy link
stream.close = async () => new Promise(() => {})
// oxlint-disable-next-line no-underscore-dangle -- what libp2p calls
broker.bitswap.network._onStream(stream, {})
await new Promise(resolve => setTimeout(resolve, 100))

// prints 1; before: 0, and what arrives is lost above 4 MiB
console.info(stream.listenerCount('message'))
process.exit()
