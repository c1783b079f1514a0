import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { markerCodecs, unmark } from '@ipfsz/core'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { webSockets } from '@libp2p/websockets'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createHeliaLight } from 'helia'
import { patient, PeerGoneError } from './peer-source.ts'
import type { Source } from './read.ts'
import type { Store } from './store.ts'
import type { Libp2p, Stream } from '@libp2p/interface'
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
  /**
   * @returns the id of the peer
   * @throws {NotForPagesError}
   */
  connect (address: string, signal: AbortSignal): Promise<string>
  /**
   * Let a connected peer fetch something from here.
   *
   * @throws {PeerNotAskableError}
   */
  give (cid: CID, signal: AbortSignal): Promise<Fetched>
  stop (): Promise<void>
}

/** An address of a kind that pages cannot dial. */
export class NotForPagesError extends Error {
  static override readonly name = 'NotForPagesError'
  override readonly name = 'NotForPagesError'
  readonly address: string

  constructor (address: string) {
    super(`A page can dial peers by WebSockets alone, and there is neither /ws nor /wss in ${address.slice(0, 120)}`)
    this.address = address
  }
}

/** Peers fetch what they are told to by those who run them, and not by others: that of this demo does. */
export class PeerNotAskableError extends Error {
  static override readonly name = 'PeerNotAskableError'
  override readonly name = 'PeerNotAskableError'

  constructor (options?: ErrorOptions) {
    super('A page cannot tell this peer to fetch something', options)
  }
}

/** The longest answer that is read, in bytes. */
const MAX_ANSWER = 4096
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
  let left = new AbortController()
  const report = (): void => {
    const peers = libp2p.getPeers()

    if (peers.length === 0) {
      // what is awaited from peers is not coming any more
      left.abort(new PeerGoneError())
      left = new AbortController()
    }

    onPeers(peers.map(String))
  }

  libp2p.addEventListener('peer:connect', report)
  libp2p.addEventListener('peer:disconnect', report)

  return {
    source: patient(helia.blockstore, () => libp2p.getPeers().length === 0 ? AbortSignal.abort(new PeerGoneError()) : left.signal),
    peerId: libp2p.peerId.toString(),

    async connect (address, signal) {
      const target = multiaddr(address.trim())

      if (!/\/wss?(?:\/|$)/.test(target.toString())) {
        throw new NotForPagesError(address)
      }

      const connection = await libp2p.dial(target, { signal })

      return connection.remotePeer.toString()
    },

    async give (cid, signal) {
      const stream = await openFetch(libp2p, signal)
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

/** A stream to the first peer that can be told to fetch. */
async function openFetch (libp2p: Libp2p, signal: AbortSignal): Promise<Stream> {
  let refusal: unknown

  for (const peer of libp2p.getPeers()) {
    try {
      return await libp2p.dialProtocol(peer, FETCH_PROTOCOL, { signal })
    } catch (err) {
      if (!(err instanceof Error && err.name === 'UnsupportedProtocolError')) {
        throw err
      }

      refusal = err
    }
  }

  throw new PeerNotAskableError({ cause: refusal })
}
