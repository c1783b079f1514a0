import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { unmark, withIpfsz } from '@ipfsz/core'
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

/** On this protocol a peer fetches the CID it is sent, and reports the result. Only the demo's peer speaks it. */
export const FETCH_PROTOCOL = '/ipfsz-demo/fetch/1.0.0'

/** What a peer reports after a fetch. */
export interface Fetched {
  /** Original bytes. */
  size: number
  /** Of the original bytes, in hex. */
  sha256: string
  milliseconds: number
}

export interface Node {
  /** Blocks that are stored here, or that connected peers have. */
  source: Source
  peerId: string
  /**
   * @returns the id of the peer
   * @throws {NotForPagesError}
   * @throws {PeerUnreachableError}
   */
  connect (address: string, signal: AbortSignal): Promise<string>
  /**
   * Tell a connected peer to fetch a CID from here.
   *
   * @throws {PeerNotAskableError}
   */
  give (cid: CID, signal: AbortSignal): Promise<Fetched>
  stop (): Promise<void>
}

/** Thrown when a page cannot dial this kind of address. */
export class NotForPagesError extends Error {
  static override readonly name = 'NotForPagesError'
  override readonly name = 'NotForPagesError'
  readonly address: string

  constructor (address: string) {
    super(`A page can dial only WebSockets: ${address.slice(0, 120)} has neither /ws nor /wss`)
    this.address = address
  }
}

/** Thrown when there is no response from an address. */
export class PeerUnreachableError extends Error {
  static override readonly name = 'PeerUnreachableError'
  override readonly name = 'PeerUnreachableError'
  readonly address: string

  constructor (address: string, options?: ErrorOptions) {
    super(`No response from ${address.slice(0, 120)}: check the address, and that the peer is running`, options)
    this.address = address
  }
}

/** Thrown when no connected peer speaks the fetch protocol. */
export class PeerNotAskableError extends Error {
  static override readonly name = 'PeerNotAskableError'
  override readonly name = 'PeerNotAskableError'

  constructor (options?: ErrorOptions) {
    super('This peer does not fetch CIDs for a page', options)
  }
}

/** The longest accepted answer, in bytes. */
const MAX_ANSWER = 4096
/**
 * A Helia node in the page, on the page's blockstore. It uses no gateways, and dials only
 * the addresses it is given.
 */
export async function startNode (store: Store, onPeers: (peers: string[]) => void): Promise<Node> {
  const helia = withBitswap(withLibp2pLight(withIpfsz(createHeliaLight(store)), {
    transports: [webSockets()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() },
    // by default pages dial neither private addresses nor WebSockets without TLS
    connectionGater: { denyDialMultiaddr: () => false }
  }))

  await helia.start()

  const { libp2p } = helia
  let left = new AbortController()
  const report = (): void => {
    const peers = libp2p.getPeers()

    if (peers.length === 0) {
      // no block will arrive any more
      left.abort(new PeerGoneError())
      left = new AbortController()
    }

    onPeers(peers.map(String))
  }

  libp2p.addEventListener('peer:connect', report)
  libp2p.addEventListener('peer:disconnect', report)

  return {
    source: patient(helia.blockstore, () => (
      libp2p.getPeers().length === 0 ? AbortSignal.abort(new PeerGoneError()) : left.signal
    )),
    peerId: libp2p.peerId.toString(),

    async connect (address, signal) {
      const target = multiaddr(address.trim())

      if (!/\/wss?(?:\/|$)/.test(target.toString())) {
        throw new NotForPagesError(address)
      }

      try {
        const connection = await libp2p.dial(target, { signal })

        return connection.remotePeer.toString()
      } catch (err) {
        // if a WebSocket cannot connect, browsers provide only an Event, without a reason
        throw err instanceof Event || signal.aborted ? new PeerUnreachableError(address.trim(), { cause: err }) : err
      }
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
          throw new Error(`The peer's answer is longer than ${MAX_ANSWER} bytes`)
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

/** A stream to the first peer that speaks the fetch protocol. */
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
