import { ipfsz } from '@ipfsz/core'
import { connectedPeers, PeerGateways } from '@ipfsz/core/libp2p'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { MemoryBlockstore } from 'blockstore-core'
import { createLibp2p } from 'libp2p'
import { CID } from 'multiformats/cid'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { same, text } from '../support/data.ts'
import type { BlockSource } from '@ipfsz/core'
import type { HttpPeers } from '@ipfsz/core/libp2p'
import type { Libp2p } from '@libp2p/interface'

interface Reader {
  node: Libp2p
  fs: ReturnType<typeof ipfsz>
  /** How many responses brought CARs. */
  cars: () => number
}

/**
 * A node in this page that is connected to the one in Node. What `PeerGateways` leaves to the next source is fetched
 * block by block, as by Bitswap.
 */
async function connect (root: CID): Promise<Reader> {
  const node = await createLibp2p({
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() },
    connectionGater: { denyDialMultiaddr: () => false }
  })
  onTestFinished(async () => { await node.stop() })

  const { remotePeer } = await node.dial(multiaddr(inject('gatewayAddress')))
  const connected = connectedPeers(node)
  // the peer says what it speaks soon after it is connected
  await expect.poll(async () => connected.find(root)).toHaveLength(1)

  let cars = 0
  const peers: HttpPeers = {
    find: async cid => connected.find(cid),
    async fetch (id, url, init) {
      const response = await connected.fetch(id, url, init)
      cars += response.status === 200 ? 1 : 0

      return response
    }
  }
  const next: BlockSource = {
    async fetch (cid, { signal }) {
      const url = new URL(`http://peer/ipfs/${cid}?format=raw`)
      const { body } = await connected.fetch(remotePeer.toString(), url, { signal })
      const reader = body?.getReader()
      const chunks: Uint8Array[] = []

      for (let chunk = await reader?.read(); chunk?.value != null; chunk = await reader?.read()) {
        chunks.push(chunk.value)
      }

      return { bytes: new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer()) }
    }
  }
  const source = new PeerGateways({ root, peers })
  onTestFinished(() => { source.close() })
  const fs = ipfsz({ blockstore: new MemoryBlockstore(), sources: [source, next] })

  return { node, fs, cars: () => cars }
}

async function read (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Blob(await Array.fromAsync(chunks) as BlobPart[]).arrayBuffer())
}

describe('a page that fetches over HTTP on streams of WebSockets', () => {
  const root = CID.parse(inject('servedCid'))
  const bytes = text(inject('servedSize'))

  it('reads a file that arrives in CARs', async () => {
    const { fs, cars } = await connect(root)

    expect(same(await read(fs.cat(root)), bytes)).toBe(true)
    expect(cars()).toBeGreaterThan(0)
  })

  it('reads a range', async () => {
    const { fs } = await connect(root)
    const offset = 3_000_001

    const range = await read(fs.cat(root, { offset, length: 200_000 }))

    expect(same(range, bytes.slice(offset, offset + 200_000))).toBe(true)
  })

  it('ends the request of a reader that goes away, and reads again', async () => {
    const { node, fs } = await connect(root)

    for await (const _ of fs.cat(root)) {
      break
    }

    expect(same(await read(fs.cat(root)), bytes)).toBe(true)
    await expect.poll(() => node.getConnections()[0].streams.filter(({ protocol }) => protocol === '/http/1.1').length)
      .toBe(0)
  })
})
