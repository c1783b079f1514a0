import { announce, byId, copyable, failure, h } from './dom.ts'
import type { Node } from '../ipfs/peer.ts'
import type { Store } from '../ipfs/store.ts'

/** So long a peer may take to answer, in milliseconds. */
const PATIENCE = 20_000

/** Where the page is connected to peers. The network is loaded when it is first asked for. */
export function peerPanel (store: Store): { node: () => Node | undefined } {
  const form = byId<HTMLFormElement>('peer-form')
  const input = byId<HTMLInputElement>('multiaddr')
  const state = byId('peer-state')
  let starting: Promise<Node> | undefined
  let node: Node | undefined
  let peers: string[] = []

  const show = (): void => {
    state.replaceChildren(...peers.map(peer => h('p', { class: 'connected' }, h('span', { class: 'dot' }), ' Connected to ', h('code', {}, peer))))

    if (peers.length > 0 && node != null) {
      state.append(
        h('p', { class: 'note' }, 'Any CID that the peer has can be opened here now, and it can ask for what is kept here.'),
        copyable('id of this page', node.peerId)
      )
    }
  }

  const onPeers = (now: string[]): void => {
    const before = peers.length

    peers = now
    show()

    if (before > 0 && now.length === 0) {
      announce('The peer has gone. What is kept here can still be read.')
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
      // offline, perhaps: the next click tries again
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
      // those that are connected still are
      show()
      state.append(failure(err))
    })
  })

  // the demo's own peer is named behind the #
  input.value = new URLSearchParams(location.hash.slice(1)).get('peer') ?? ''

  return { node: () => peers.length > 0 ? node : undefined }
}
