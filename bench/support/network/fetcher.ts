/**
 * A node with an empty blockstore that fetches one file. `bench/network.ts` starts it in
 * a process of its own, which connects, sends `ready`, waits for a message, fetches, and
 * sends the outcome.
 */
import { once } from 'node:events'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { multiaddr } from '@multiformats/multiaddr'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { createNode } from './node.ts'
import type { Fetched, FetcherInit } from './messages.ts'

const { peer, port, transport, reader, cid, size, timeout } = JSON.parse(process.argv[2]) as FetcherInit
const helia = await createNode(new MemoryBlockstore(), [], transport)

// once the topology reports this peer, Bitswap knows it too
const connected = new Promise<void>(resolve => {
  void helia.libp2p.register('/ipfs/bitswap/1.2.0', { onConnect: () => { resolve() } })
})

await helia.libp2p.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}/p2p/${peer}`))
await connected

const go = once(process, 'message')
process.send?.('ready')
await go

process.send?.(await fetchFile(), () => { process.exit() })

async function fetchFile (): Promise<Fetched> {
  const files = reader === 'ipfsz' ? ipfsz(helia) : unixfs(helia)
  const start = performance.now()
  const cpu = process.cpuUsage()
  let first = 0
  let read = 0
  let failure: string | undefined

  try {
    for await (const chunk of files.cat(CID.parse(cid), { signal: AbortSignal.timeout(timeout) })) {
      first = first === 0 ? performance.now() - start : first
      read += chunk.byteLength
    }

    failure = read === size ? undefined : `read ${read} bytes of ${size}`
  } catch (err) {
    failure = err instanceof Error ? err.name : String(err)
  }

  const { user, system } = process.cpuUsage(cpu)

  return {
    first,
    wall: performance.now() - start,
    cpu: (user + system) / 1000,
    size: read,
    ...failure == null ? {} : { failure }
  }
}
