import { isLocalHost, isLocalPeer } from '../ipfs/link.ts'
import { announce, byId, copyable, failure, h } from './dom.ts'
import type { Node } from '../ipfs/peer.ts'
import type { Store } from '../ipfs/store.ts'

/** Dispatched on the window when a peer has connected, or has gone. */
export const PEERS_EVENT = 'ipfsz-peers'
/** How long a peer may take to answer, in milliseconds. */
const PATIENCE = 20_000

/** Thrown when a link on a page of the internet names a peer in the network of its reader. */
export class LocalPeerError extends Error {
  static override readonly name = 'LocalPeerError'
  override readonly name = 'LocalPeerError'

  constructor () {
    super('The link names a peer in your own network. Press Connect if you trust whoever sent you the link')
  }
}

export interface Peers {
  /** The node, while a peer is connected. */
  node: () => Node | undefined
  /** The addresses of connected peers. */
  addresses: () => string[]
  /** Fill in the address of a peer, for the user to connect. */
  propose: (address: string) => void
  /**
   * Connect to the peers of a link. Resolves when one is connected.
   *
   * @throws {LocalPeerError} the page is not local, but all its peers are
   */
  connectAny: (addresses: readonly string[]) => Promise<void>
}

/** Connects the page to peers. The network loads on the first connection. */
export function peerPanel (store: Store, onConnect: () => void): Peers {
  const form = byId<HTMLFormElement>('peer-form')
  const input = byId<HTMLInputElement>('multiaddr')
  const state = byId('peer-state')
  /** Of every peer that was ever connected, by its id. */
  const addresses = new Map<string, string>()
  let starting: Promise<Node> | undefined
  let node: Node | undefined
  let peers: string[] = []

  const show = (): void => {
    dispatchEvent(new Event(PEERS_EVENT))
    state.replaceChildren(...peers.map(peer => (
      h('p', { class: 'connected' }, h('span', { class: 'dot' }), ' Connected to ', h('code', {}, peer))
    )))

    if (peers.length > 0 && node != null) {
      state.append(
        h('p', { class: 'note' }, 'You can open every CID that the peer has. The peer can fetch what is kept here.'),
        copyable('id of this page', node.peerId)
      )
    }
  }

  const onPeers = (now: string[]): void => {
    const before = peers.length

    peers = now
    show()

    if (before > 0 && now.length === 0) {
      announce('The peer has gone. You can still read what is kept here.')
    }
  }

  const connect = async (address: string): Promise<void> => {
    show()
    state.append(h('p', { class: 'note' }, 'Connecting'))
    announce('Connecting')
    starting ??= import('../ipfs/peer.ts').then(async ({ startNode }) => startNode(store, onPeers))

    try {
      node = await starting
    } catch (err) {
      // perhaps offline: the next click tries again
      starting = undefined
      throw err
    }

    const peer = await node.connect(address, AbortSignal.timeout(PATIENCE))
    addresses.set(peer, /\/p2p\/[^/]+$/.test(address.trim()) ? address.trim() : `${address.trim()}/p2p/${peer}`)
    show()
    announce(`Connected to ${peer}`)
    onConnect()
  }

  const fail = (err: unknown): void => {
    // existing connections stay
    show()
    state.append(failure(err))
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    connect(input.value).catch(fail)
  })

  return {
    node: () => peers.length > 0 ? node : undefined,
    addresses: () => peers.flatMap(peer => addresses.get(peer) ?? []),
    propose: address => { input.value = address },

    async connectAny (wanted) {
      const allowed = wanted.filter(address => isLocalHost(location.hostname) || !isLocalPeer(address))

      try {
        if (allowed.length === 0) {
          throw new LocalPeerError()
        }

        await Promise.any(allowed.map(connect))
      } catch (err) {
        const reason: unknown = err instanceof AggregateError ? err.errors[0] : err

        fail(reason)
        throw reason
      }
    }
  }
}
