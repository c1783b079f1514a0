import { formatLink, isSamePlace, parseLink } from '../ipfs/link.ts'
import type { Screen } from './app.ts'
import type { Link } from '../ipfs/link.ts'
import type { Address } from '../ipfs/read.ts'
import type { Peers } from './peer-panel.ts'

/** Keeps the address of the page and what it shows together: a link says what is open, and where it is. */
export class AddressBar {
  readonly #peers: Peers
  readonly #screen: () => Screen

  constructor (peers: Peers, screen: () => Screen) {
    this.#peers = peers
    this.#screen = screen
    // back, forward, and what people type
    addEventListener('hashchange', () => { void this.follow() })
  }

  /** Open what the address of the page says. */
  async follow (): Promise<void> {
    const screen = this.#screen()

    // links within the page
    if (location.hash.length > 1 && document.getElementById(location.hash.slice(1)) != null) {
      return
    }

    try {
      const { address, peers, filename } = parseLink(location.hash)
      const [first] = peers

      if (first != null) {
        this.#peers.propose(first)
      }

      if (address == null) {
        screen.clear()
      } else {
        const connected = first == null ? undefined : this.#peers.connectAny(peers)

        // it is awaited only if blocks are missing
        connected?.catch(() => {})
        await screen.show(address, { name: filename, connected, reveal: true })
      }
    } catch (err) {
      screen.fail(err, { reveal: true })
    }
  }

  /** The link of what is open: with the connected peers, or those of the link that opened the page. */
  linkTo (address: Address, filename?: string): string {
    const connected = this.#peers.addresses()
    const current = this.#current()
    // a link to nothing only proposes a peer
    const peers = connected.length > 0 || current?.address == null ? connected : current.peers

    return formatLink({ address, peers, filename })
  }

  /** Something was opened on the page: a step that Back undoes. */
  opened (address: Address, filename?: string): void {
    const link = this.linkTo(address, filename)
    const current = this.#current()

    if (current != null && isSamePlace(current, { address, peers: [] })) {
      history.replaceState(null, '', link)
    } else {
      history.pushState(null, '', link)
    }
  }

  /** A peer was connected: it is in the address of the page from now on. */
  addPeers (): void {
    const current = this.#current()

    if (current?.address != null) {
      history.replaceState(null, '', this.linkTo(current.address, current.filename))
    }
  }

  #current (): Link | undefined {
    try {
      return parseLink(location.hash)
    } catch {
      return undefined
    }
  }
}
