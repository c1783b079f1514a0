/**
 * A Helia node of a site. `helia-sides.ts` starts it in a network namespace. It dials the addresses in each line of its
 * stdin, and ends with it.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { unixfs } from '@helia/unixfs'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { heliaSource, ipfsz, withIpfsz } from '@ipfsz/core'
import { connectedPeers, PeerGateways } from '@ipfsz/core/libp2p'
import { serveOverLibp2p } from '@ipfsz/gateway/libp2p'
import { multiaddr } from '@multiformats/multiaddr'
import { FsBlockstore } from 'blockstore-fs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { createNode } from '../network/node.ts'
import { API_PORT, BUCKET, CREDENTIALS, SWARM_PORT } from './messages.ts'
import type { HeliaNode, HeliaNodeInit } from './messages.ts'
import type { Blockstore } from 'interface-blockstore'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long to wait for the other end of a connection that is closed, in milliseconds. */
const HANG_UP_TIMEOUT = 1000

const { address, blocks, kind } = JSON.parse(process.argv[2]) as HeliaNodeInit
const disk = await openBlocks()
await disk.open()
const light = createHeliaLight({ blockstore: disk })
const helia = await createNode(
  kind === 'ipfsz' ? withIpfsz(light) : light,
  [`/ip4/${address}/tcp/${SWARM_PORT}`],
  'plain'
)
const files = kind === 'ipfsz' ? ipfsz(helia) : unixfs(helia)

if (kind === 'ipfsz') {
  // as the README of @ipfsz/core advises nodes that have the same files
  await serveOverLibp2p(helia.libp2p, { fs: ipfsz({ blockstore: disk }), blocks: disk })
}

const server = createServer((request, response) => {
  answer(request, response).catch((err: Error) => { response.writeHead(500).end(`${err.name}: ${err.message}`) })
})

server.listen(API_PORT, '0.0.0.0', () => {
  print({ multiaddr: helia.libp2p.getMultiaddrs()[0].toString() })
})

for await (const line of createInterface({ input: process.stdin })) {
  await Promise.all((JSON.parse(line) as string[]).map(async address => {
    const peer = multiaddr(address)
    // of a connection that broke, the other node may not know it yet
    await helia.libp2p.hangUp(peer, { signal: AbortSignal.timeout(HANG_UP_TIMEOUT) }).catch(() => {})
    await helia.libp2p.dial(peer)
  }))

  print({})
}

process.exit()

async function openBlocks (): Promise<Blockstore & { open (): Promise<void> }> {
  if (blocks.startsWith('http:')) {
    return new S3Blockstore({ bucket: BUCKET, endpoints: [blocks], credentials: CREDENTIALS })
  }

  if (blocks.startsWith('cassandra:')) {
    const { CassandraBlockstore } = await import('./cassandra-blockstore.ts')

    return new CassandraBlockstore(blocks)
  }

  return kind === 'ipfsz' ? new SharedFsBlockstore(blocks) : new FsBlockstore(blocks)
}

function print (value: Partial<HeliaNode>): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

async function answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://node')

  if (pathname === '/add') {
    // beside what is still being sent, as Kubo does
    const cid = await files.addByteStream(request)
    // acknowledged only when it is on the disk, as the command does. Kubo syncs its records, and no blocks by default
    await (disk instanceof SharedFsBlockstore ? disk.sync() : undefined)
    response.end(cid.toString())
  } else {
    for await (const bytes of read(CID.parse(searchParams.get('arg') ?? ''))) {
      response.write(bytes)
    }

    response.end()
  }
}

/**
 * Read a file. Helia's Bitswap gets each block from every connected node that has it, and both nodes of another site
 * have all that one of them wrote.
 */
async function * read (root: CID): AsyncGenerator<Uint8Array> {
  if (kind === 'helia') {
    yield * files.cat(root)
    return
  }

  const { libp2p, blockstore } = helia
  const plan = { path: '', scope: 'entity' } as const
  const peers = new PeerGateways({ root, peers: connectedPeers(libp2p), plan })

  try {
    yield * ipfsz({ blockstore, sources: [peers, heliaSource(blockstore)] }).cat(root)
  } finally {
    peers.close()
  }
}
