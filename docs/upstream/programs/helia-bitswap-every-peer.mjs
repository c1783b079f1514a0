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
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'

const BITSWAP = '/ipfs/bitswap/1.2.0'
const options = () => ({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: { identify: identify() }
})
const nodes = []
let arrived = 0

/** A node with blocks, which counts those that it is sent. */
async function startNode (blocks = []) {
  const helia = withBitswap(withLibp2pLight(createHeliaLight(), options()))
  const add = helia.addBlockBroker.bind(helia)
  helia.addBlockBroker = broker => {
    broker.bitswap.wantList.addEventListener('block', () => { arrived++ })
    add(broker)
  }
  nodes.push(helia)
  await helia.start()
  await Promise.all(blocks.map(async ([cid, bytes]) => helia.blockstore.put(cid, bytes)))

  return helia
}

const blocks = await Promise.all(Array.from({ length: 20 }, async (_, i) => {
  const bytes = new Uint8Array(100_000).fill(i)

  return [CID.createV1(raw.code, await sha256.digest(bytes)), bytes]
}))
const fetch = async (node, cid) => Array.fromAsync(node.blockstore.get(cid))

// a node with three peers, each of which has all blocks
const node = await startNode()
const peers = await Promise.all([1, 2, 3].map(async () => startNode(blocks)))
await Promise.all(peers.map(async peer => node.libp2p.dial(peer.libp2p.getMultiaddrs())))
await Promise.all(blocks.map(async ([cid]) => fetch(node, cid)))

for (let i = 0; i < 50 && arrived < 3 * blocks.length; i++) {
  await new Promise(resolve => setTimeout(resolve, 100))
}

const copies = arrived / blocks.length

// one with a peer that says that it has the block (field 4 of a message: the CID, and the type 0), but never sends it
const [[cid]] = blocks
const patient = await startNode()
const liar = await createLibp2p(options())
nodes.push(liar)
const claimed = new Promise(resolve => {
  liar.handle(BITSWAP, async (_, { remotePeer }) => {
    const stream = await liar.dialProtocol(remotePeer, BITSWAP)
    const presence = [0x0a, cid.bytes.byteLength, ...cid.bytes, 0x10, 0]
    stream.send(Uint8Array.of(presence.length + 2, 0x22, presence.length, ...presence))
    await stream.close()
    resolve()
  })
})
await patient.libp2p.dial(liar.getMultiaddrs())
await patient.libp2p.dial((await startNode()).libp2p.getMultiaddrs())
const fetching = fetch(patient, cid)
await claimed
await patient.libp2p.dial(peers[0].libp2p.getMultiaddrs())
const [bytes] = await fetching

// prints 3 and 100000: each of three peers sends each block; expected: 1 and 100000
console.info(copies, bytes.byteLength)
await Promise.all(nodes.map(async node => node.stop()))
