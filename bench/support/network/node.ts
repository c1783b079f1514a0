import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { compress } from '@ipfsz/libp2p-compression'
import { noise } from '@libp2p/noise'
import { identify } from '@libp2p/identify'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import type { HeliaWithLibp2p } from '@helia/libp2p'
import type { Helia } from 'helia'

/** Whether connections are compressed. */
export type Transport = 'plain' | 'compressed'

/** Start a Helia node with libp2p: it knows only peers that it dials, and listens on the given addresses. */
export async function createNode (
  light: Helia,
  listen: string[],
  transport: Transport
): Promise<HeliaWithLibp2p<Record<string, unknown>>> {
  const helia = withBitswap(withLibp2pLight(light, {
    addresses: { listen },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    // in order of preference
    streamMuxers: [...transport === 'compressed' ? compress(yamux()) : [], yamux()],
    // pings would come in between, and count as bytes of whatever is measured just then
    connectionMonitor: { enabled: false },
    services: { identify: identify() }
  }))

  await helia.start()

  return helia
}
