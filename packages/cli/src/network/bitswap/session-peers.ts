import { setMaxListeners } from 'node:events'
import { keyOf } from '../../dag-walk.ts'
import { searchPeers } from './search-peers.ts'
import type { Services } from '../dht/dhts.ts'
import type { Wants } from './wants.ts'
import type { Libp2p, PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** How many bytes one is asked for at one time, 28 MiB: less than may come on one stream before it is read. */
const MAX_ASKED_SIZE = 28 * 1024 * 1024
/** And how many blocks, of the 1,024 that a Helia keeps in mind. */
const MAX_ASKED = 256
/** One that failed so often is not asked again. */
const MAX_FAILURES = 5
/** How long peers are looked for though nothing is fetched, in milliseconds: what did not come is soon asked for again. */
const LINGER = 3_000

export interface SessionPeersComponents {
  libp2p: Libp2p<Services>
  wants: Wants
}

/** A peer that has, or says to have, what is fetched. */
export interface SessionPeer {
  readonly id: PeerId
  /** How many blocks it has been asked for and has not sent. */
  asked: number
  /** Their bytes. */
  askedSize: number
  /** When it last sent one, 0 for never. */
  lastBlock: number
  /** How often it could not be asked, or sent what it should not. */
  failures: number
  /** Whether it sent nothing while it was asked. */
  stalled: boolean
  connected: boolean
  /** What it has said not to have. */
  readonly lacks: Set<string>
}

/** The peers that the blocks below a root are asked of. */
export class SessionPeers {
  readonly #root: CID
  readonly #components: SessionPeersComponents
  readonly #peers = new Map<string, SessionPeer>()
  readonly #listeners = new Set<() => void>()
  readonly #searches = new Set<string>()
  readonly #unwatch: () => void
  /** Ends looking for peers when nothing is fetched any more. */
  #idle = new AbortController()
  #lingering: NodeJS.Timeout | undefined
  #users = 0

  constructor (root: CID, components: SessionPeersComponents) {
    this.#root = root
    this.#components = components
    this.#unwatch = components.wants.onPeer((id, connected) => { this.#update(id, peer => { peer.connected = connected }) })
    setMaxListeners(0, this.#idle.signal)
  }

  get size (): number {
    return this.#peers.size
  }

  /** Somebody fetches. */
  enter (): void {
    this.#users++
    clearTimeout(this.#lingering)

    if (this.#idle.signal.aborted) {
      this.#idle = new AbortController()
      setMaxListeners(0, this.#idle.signal)
    }
  }

  leave (): void {
    if (--this.#users === 0) {
      const idle = this.#idle
      this.#lingering = setTimeout(() => { idle.abort() }, LINGER).unref()
    }
  }

  close (): void {
    clearTimeout(this.#lingering)
    this.#idle.abort()
    this.#unwatch()
  }

  /** @returns what ends it */
  onChange (listener: () => void): () => void {
    this.#listeners.add(listener)

    return () => { this.#listeners.delete(listener) }
  }

  /** The peer to ask for a block of a size: of those that are not known to lack it and can take one more, the one with the least to do, and last those that sent nothing. */
  pick (key: string, size: number, except: { has (id: string): boolean }): SessionPeer | undefined {
    const possible = [...this.#peers].flatMap(([id, peer]) => !except.has(id) && this.maySend(peer, key) && hasRoom(peer, size) ? [peer] : [])

    return possible.toSorted((a, b) => Number(a.stalled) - Number(b.stalled) || a.askedSize - b.askedSize || b.lastBlock - a.lastBlock)[0]
  }

  /** Whether a block can be had as soon as a peer has sent another one. */
  isBusy (key: string, size: number): boolean {
    return [...this.#peers.values()].some(peer => this.maySend(peer, key) && !peer.stalled && !hasRoom(peer, size))
  }

  maySend (peer: SessionPeer, key: string): boolean {
    return peer.connected && peer.failures < MAX_FAILURES && !peer.lacks.has(key)
  }

  /** A peer has one block less to send: whoever waits for that may ask it. */
  released (peer: SessionPeer, size: number): void {
    peer.asked--
    peer.askedSize -= size
    this.#listeners.forEach(listener => { listener() })
  }

  /** A peer sent bytes under the name of a block. */
  answered (id: PeerId, good: boolean): void {
    this.#update(id, peer => {
      if (good) {
        Object.assign(peer, { lastBlock: Date.now(), failures: 0, stalled: false })
      } else {
        peer.failures++
      }
    })
  }

  lacks (id: PeerId, key: string): void {
    this.#update(id, peer => { peer.lacks.add(key) })
  }

  /** A peer could not be asked. */
  failed (id: PeerId): void {
    this.#update(id, peer => {
      peer.failures++
      peer.connected = this.#isConnected(id)
    })
  }

  /** Look for peers, until there are enough or nothing is fetched any more. It goes on in the background. */
  search (cid: CID): void {
    // who has the root has what is below it, unless all of them said no
    const wanted = [...this.#peers.values()].some(({ lacks }) => lacks.has(keyOf(cid))) ? cid : this.#root
    const key = keyOf(wanted)

    if (this.#searches.has(key)) {
      return
    }

    this.#searches.add(key)
    searchPeers(wanted, {
      ...this.#components,
      signal: this.#idle.signal,
      count: () => [...this.#peers.values()].filter(peer => this.maySend(peer, key)).length,
      isIn: id => this.#peers.get(id.toString())?.connected === true,
      lost: () => [...this.#peers.values()].flatMap(({ id, connected, failures }) => connected || failures >= MAX_FAILURES ? [] : [id]),
      found: id => { this.#add(id, key) },
      lacks: id => { this.lacks(id, key) },
      // what a peer did not have it may have by now
      again: () => { this.#peers.forEach(peer => { this.#update(peer.id, ({ lacks }) => { lacks.delete(key) }) }) }
    }).catch(() => {}).finally(() => { this.#searches.delete(key) })
  }

  #add (id: PeerId, key: string): void {
    if (!this.#peers.has(id.toString())) {
      this.#peers.set(id.toString(), { id, asked: 0, askedSize: 0, lastBlock: 0, failures: 0, stalled: false, connected: true, lacks: new Set() })
    }

    this.#update(id, peer => {
      peer.connected = this.#isConnected(id)
      peer.lacks.delete(key)
    })
  }

  #update (id: PeerId, change: (peer: SessionPeer) => void): void {
    const peer = this.#peers.get(id.toString())

    if (peer != null) {
      change(peer)
      this.#listeners.forEach(listener => { listener() })
    }
  }

  #isConnected (id: PeerId): boolean {
    return this.#components.libp2p.getConnections(id).length > 0
  }
}

/** One block may always be asked for, whatever its size. */
function hasRoom ({ asked, askedSize }: SessionPeer, size: number): boolean {
  return asked === 0 || (asked < MAX_ASKED && askedSize + size <= MAX_ASKED_SIZE)
}
