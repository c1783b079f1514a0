import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { compress } from '@ipfsz/libp2p-compression'
import { noise } from '@libp2p/noise'
import { identify } from '@libp2p/identify'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import type { HeliaWithLibp2p } from '@helia/libp2p'
import type { Blockstore } from 'interface-blockstore'

/** How a connection carries what it carries: as it is, or compressed. */
export type Transport = 'plain' | 'compressed'

/** A Helia that listens on loopback or not at all, and knows nobody that it does not dial. */
export async function createNode (
  blockstore: Blockstore,
  listen: string[],
  transport: Transport
): Promise<HeliaWithLibp2p<Record<string, unknown>>> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore }), {
    addresses: { listen },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    // the preferred one first
    streamMuxers: [...transport === 'compressed' ? compress(yamux()) : [], yamux()],
    services: { identify: identify() }
  }))

  await helia.start()

  return helia
}
