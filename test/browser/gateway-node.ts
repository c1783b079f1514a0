import { ipfsz } from '@ipfsz/core'
import { serveOverLibp2p } from '@ipfsz/gateway/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { MemoryBlockstore } from 'blockstore-core'
import { createLibp2p } from 'libp2p'
import { text } from '../support/data.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a node in Node that serves a file over HTTP, on libp2p streams alone: it has no Bitswap. */
    gatewayAddress: string
    /** The marked CID of that file: `text(servedSize)`, in several leaves. */
    servedCid: string
    /** Its original bytes. */
    servedSize: number
  }
}

const SIZE = 5 * 1024 * 1024

/** Global setup of the browser tests: starts the node that they fetch from. */
export async function setup (project: TestProject): Promise<() => Promise<void>> {
  const node = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0/ws'] },
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  })
  const blockstore = new MemoryBlockstore()
  const fs = ipfsz({ blockstore })
  const cid = await fs.addBytes(text(SIZE), { compression: { codec: 'zstd', frameSize: 64 * 1024 } })
  const stop = await serveOverLibp2p(node, { fs, blocks: blockstore })

  project.provide('gatewayAddress', node.getMultiaddrs()[0].toString())
  project.provide('servedCid', cid.toString())
  project.provide('servedSize', SIZE)

  return async () => {
    await stop()
    await node.stop()
  }
}
