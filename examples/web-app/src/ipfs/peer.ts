import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { markerCodecs, unmark } from '@ipfsz/core'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createHeliaLight } from 'helia'
import { getBlock } from './dag.ts'
import type { Source } from './read.ts'
import type { Store } from './store.ts'
import type { CID } from 'multiformats/cid'

/** On this protocol a peer fetches what it is told of, and says what it got. The peer of this demo has it. */
export const FETCH_PROTOCOL = '/ipfsz-demo/fetch/1.0.0'

/** What a peer says that it fetched. */
export interface Fetched {
  /** Original bytes. */
  size: number
  /** Of the original bytes, in hexadecimal digits. */
  sha256: string
  milliseconds: number
}

export interface Node {
  /** What is stored here, and what connected peers have. */
  source: Source
  peerId: string
  /** @returns the id of the peer */
  connect (address: string, signal: AbortSignal): Promise<string>
  /** Let a connected peer fetch something from here. */
  give (cid: CID, signal: AbortSignal): Promise<Fetched>
  stop (): Promise<void>
}

/** No peer sent a block in time. */
export class BlockNotSentError extends Error {
  static override readonly name = 'BlockNotSentError'
  override readonly name = 'BlockNotSentError'
  readonly cid: CID

  constructor (cid: CID) {
    super(`No peer that is connected sent the block ${cid}`)
    this.cid = cid
  }
}

/** The longest answer that is read, in bytes. */
const MAX_ANSWER = 4096
/** So long a block may take, in milliseconds. */
const PATIENCE = 8_000

/**
 * A Helia node in the page, on its blockstore. It dials no one by itself and asks no
 * gateways: it talks to those that it is told to connect to.
 */
export async function startNode (store: Store, onPeers: (peers: string[]) => void): Promise<Node> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ ...store, codecs: markerCodecs }), {
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() },
    // unless told otherwise, pages dial neither private addresses nor WebSockets without TLS
    connectionGater: { denyDialMultiaddr: () => false }
  }))

  await helia.start()

  const { libp2p } = helia
  const report = (): void => { onPeers(libp2p.getPeers().map(String)) }

  libp2p.addEventListener('peer:connect', report)
  libp2p.addEventListener('peer:disconnect', report)

  return {
    source: patient(helia.blockstore),
    peerId: libp2p.peerId.toString(),

    async connect (address, signal) {
      const connection = await libp2p.dial(multiaddr(address.trim()), { signal })

      return connection.remotePeer.toString()
    },

    async give (cid, signal) {
      const [peer] = libp2p.getPeers()
      const stream = await libp2p.dialProtocol(peer, FETCH_PROTOCOL, { signal })
      const parts: Array<Uint8Array<ArrayBuffer>> = []
      let length = 0

      stream.send(new TextEncoder().encode(cid.toString()))
      await stream.close({ signal })

      for await (const part of stream) {
        length += part.byteLength
        parts.push(part.subarray() as Uint8Array<ArrayBuffer>)

        if (length > MAX_ANSWER) {
          throw new Error('The peer answered with more than it may')
        }
      }

      const answer = JSON.parse(await new Blob(parts).text())

      if (typeof answer.failure === 'string') {
        throw new Error(`The peer could not fetch ${unmark(cid)}: ${answer.failure}`)
      }

      return { size: Number(answer.size), sha256: String(answer.sha256), milliseconds: Number(answer.milliseconds) }
    },

    async stop () {
      await helia.stop()
    }
  }
}

/** A source that gives up on a block after a while: peers need not answer. */
function patient (source: Source): Source {
  return {
    put: (cid, bytes, options) => source.put(cid, bytes, options),
    has: (cid, options) => source.has(cid, options),

    async * get (cid, options) {
      const { promise, reject } = Promise.withResolvers<never>()
      const ended = new AbortController()
      const giveUp = (err: unknown): void => {
        reject(err)
        ended.abort(err)
      }
      const onAbort = (): void => { giveUp(options?.signal?.reason) }
      const timer = setTimeout(() => { giveUp(new BlockNotSentError(cid)) }, PATIENCE)

      options?.signal?.addEventListener('abort', onAbort, { once: true })

      try {
        // raced, since not all that is below looks at the signal
        yield await Promise.race([getBlock(source, cid, { ...options, signal: ended.signal }), promise])
      } finally {
        clearTimeout(timer)
        options?.signal?.removeEventListener('abort', onAbort)
      }
    }
  }
}
