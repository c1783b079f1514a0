import { createHash } from 'node:crypto'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { ipfsz, withIpfsz } from '@ipfsz/core'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { FETCH_PROTOCOL } from './src/ipfs/peer.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { Stream } from '@libp2p/interface'
import type { Blockstore } from 'interface-blockstore'

export interface NodePeer {
  /** The address for pages. */
  address: string
  fs: Ipfsz
  stop (): Promise<void>
}

/** The longest accepted CID, in bytes. */
const MAX_CID = 512
/** How long a fetch may take, in milliseconds. */
const PATIENCE = 60_000

/** A Helia node on loopback that dials no one. Its blocks are in memory by default. */
export async function startNodePeer (blockstore?: Blockstore): Promise<NodePeer> {
  const helia = withBitswap(withLibp2pLight(withIpfsz(createHeliaLight(blockstore == null ? {} : { blockstore })), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0/ws'] },
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }))

  await helia.start()

  const fs = ipfsz(helia, { deterministic: true })

  await helia.libp2p.handle(FETCH_PROTOCOL, async stream => {
    try {
      const answer = await fetchAll(stream, fs)
        .catch(err => ({ failure: err instanceof Error ? err.message : String(err) }))

      stream.send(new TextEncoder().encode(JSON.stringify(answer)))
      await stream.close()
    } catch (err) {
      stream.abort(err instanceof Error ? err : new Error(String(err)))
    }
  })

  return {
    address: String(helia.libp2p.getMultiaddrs()[0]),
    fs,
    stop: async () => { await helia.stop() }
  }
}

/** Read the CID that a page sends, then fetch everything below it from that page. */
async function fetchAll (stream: Stream, fs: Ipfsz): Promise<{ size: number, sha256: string, milliseconds: number }> {
  const begin = performance.now()
  const parts: Uint8Array[] = []
  let length = 0

  for await (const part of stream) {
    parts.push(part.subarray())
    length += part.byteLength

    if (length > MAX_CID) {
      throw new Error(`The CID is longer than ${MAX_CID} bytes`)
    }
  }

  const cid = CID.parse(Buffer.concat(parts).toString())
  const signal = AbortSignal.timeout(PATIENCE)
  const hash = createHash('sha256')
  let size = 0

  for await (const path of files(fs, cid, '', signal)) {
    for await (const bytes of fs.cat(cid, { path, signal })) {
      hash.update(bytes)
      size += bytes.byteLength
    }
  }

  return { size, sha256: hash.digest('hex'), milliseconds: Math.round(performance.now() - begin) }
}

/** The paths of all files below a CID. The path of a file itself is empty. */
async function * files (fs: Ipfsz, cid: CID, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const { type } = await fs.stat(cid, { path, signal })

  if (type !== 'directory') {
    yield path
    return
  }

  for await (const { name } of fs.ls(cid, { path, signal })) {
    yield * files(fs, cid, path === '' ? name : `${path}/${name}`, signal)
  }
}
