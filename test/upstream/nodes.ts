import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { createLibp2p } from 'libp2p'
import { onTestFinished } from 'vitest'
import type { Libp2p, PeerId, StreamHandler } from '@libp2p/interface'
import type { Helia } from 'helia'
import type { Libp2pOptions } from 'libp2p'

type BitswapInit = Parameters<typeof withBitswap>[1]

export const BITSWAP = '/ipfs/bitswap/1.2.0'
/** The private method of @helia/bitswap that handles an incoming stream. */
export const ON_STREAM = '_onStream'

/** The part of a broker's private `bitswap.network` that the reproductions use. */
export interface BitswapNetwork {
  [ON_STREAM]: StreamHandler
  sendMessage: (peer: PeerId, message: object) => Promise<void>
}

function options (): Libp2pOptions {
  return {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }
}

/** Start a plain libp2p node on loopback. It stops when the test is done. */
export async function startPeer (): Promise<Libp2p> {
  const libp2p = await createLibp2p(options())

  onTestFinished(async () => { await libp2p.stop() })

  return libp2p
}

/** Start Helia with Bitswap on loopback. `network` is the network of its Bitswap. */
export async function startHelia (
  init?: BitswapInit
): Promise<{ helia: Helia & { libp2p: Libp2p }, network: BitswapNetwork }> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore: new MemoryBlockstore() }), options()), init)
  const add = helia.addBlockBroker.bind(helia)
  let broker: unknown

  helia.addBlockBroker = added => {
    broker = added
    add(added)
  }
  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return { helia: helia as never, network: (broker as { bitswap: { network: BitswapNetwork } }).bitswap.network }
}
