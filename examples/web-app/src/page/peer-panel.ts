import { announce, byId, copyable, failure, h } from './dom.ts'
import type { Node } from '../ipfs/peer.ts'
import type { Store } from '../ipfs/store.ts'

/** How long a peer may take to answer, in milliseconds. */
const PATIENCE = 20_000

/** Connects the page to peers. The network loads on the first connection. */
export function peerPanel (store: Store): { node: () => Node | undefined } {
  const form = byId<HTMLFormElement>('peer-form')
  const input = byId<HTMLInputElement>('multiaddr')
  const state = byId('peer-state')
  let starting: Promise<Node> | undefined
  let node: Node | undefined
  let peers: string[] = []

  const show = (): void => {
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

  const connect = async (): Promise<void> => {
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

    const peer = await node.connect(input.value, AbortSignal.timeout(PATIENCE))
    show()
    announce(`Connected to ${peer}`)
  }

  form.addEventListener('submit', event => {
    event.preventDefault()
    connect().catch(err => {
      // existing connections stay
      show()
      state.append(failure(err))
    })
  })

  // the address of the demo's own peer follows the #
  input.value = new URLSearchParams(location.hash.slice(1)).get('peer') ?? ''

  return { node: () => peers.length > 0 ? node : undefined }
}
