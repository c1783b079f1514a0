/**
 * A node with an empty blockstore that fetches one file. `bench/network.ts` starts it in
 * a process of its own, which connects, sends `ready`, waits for a message, fetches, and
 * sends the outcome.
 */
import { once } from 'node:events'
import { unixfs } from '@helia/unixfs'
import { ipfsz, withIpfsz } from '@ipfsz/core'
import { multiaddr } from '@multiformats/multiaddr'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { measureFetch } from './measure-fetch.ts'
import { createNode } from './node.ts'
import type { FetcherInit } from './messages.ts'

const { peer, port, transport, reader, cid, size, timeout } = JSON.parse(process.argv[2]) as FetcherInit
const light = createHeliaLight({ blockstore: new MemoryBlockstore() })
const helia = await createNode(reader === 'ipfsz' ? withIpfsz(light) : light, [], transport)

// once the topology reports this peer, Bitswap knows it too
const connected = new Promise<void>(resolve => {
  void helia.libp2p.register('/ipfs/bitswap/1.2.0', { onConnect: () => { resolve() } })
})

await helia.libp2p.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}/p2p/${peer}`))
await connected

const go = once(process, 'message')
process.send?.('ready')
await go

const files = reader === 'ipfsz' ? ipfsz(helia) : unixfs(helia)
const read = files.cat(CID.parse(cid), { signal: AbortSignal.timeout(timeout) })

process.send?.(await measureFetch(read, size), () => { process.exit() })
