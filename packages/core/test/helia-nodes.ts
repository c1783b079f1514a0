import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { onTestFinished } from 'vitest'
import { withIpfsz } from '../src/index.ts'
import type { Libp2p } from '@libp2p/interface'
import type { Helia } from 'helia'

export const BITSWAP = '/ipfs/bitswap/1.2.0'

export type Node = Helia & { libp2p: Libp2p }

type BitswapInit = Parameters<typeof withBitswap>[1]

/** A Helia with Bitswap that listens on loopback and knows no peers. It is stopped when the test ends. */
export async function startStock (init?: BitswapInit): Promise<Node> {
  return start(createHeliaLight({ blockstore: new MemoryBlockstore() }), init)
}

/** The same, made by `withIpfsz`. */
export async function startQuick (init?: BitswapInit): Promise<Node> {
  return start(withIpfsz(createHeliaLight({ blockstore: new MemoryBlockstore() })), init)
}

async function start (light: Helia, init?: BitswapInit): Promise<Node> {
  const helia = withBitswap(withLibp2pLight(light, {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }), init)

  onTestFinished(async () => { await helia.stop() })
  await helia.start()

  return helia as unknown as Node
}
