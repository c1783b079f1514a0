// Above 250 lines: which peer is asked depends on what all peers of a session did, which is one state.
import { setMaxListeners } from 'node:events'
import { StallDetector } from '@ipfsz/core'
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { keyOf } from '../../dag/dag-walk.ts'
import { searchPeers } from './search-peers.ts'
import type { SessionComponents } from './search-peers.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** Maximum bytes asked of one peer at a time, 28 MiB: less than the 32 MiB that a stream buffers before it is read. */
const MAX_ASKED_SIZE = 28 * 1024 * 1024
/** Maximum blocks asked of one peer at a time. Helia keeps at most 1,024 wants of a peer. */
const MAX_ASKED = 256
/** A peer that failed this often in a row is not asked again. */
const MAX_FAILURES = 5
/** Maximum number of remembered blocks that no peer has. */
const MAX_EXHAUSTED = 4096

/**
 * How long a search goes on, and responses of peers stay open, after the last fetch ended, in milliseconds: a failed
 * fetch is soon tried again.
 */
export const LINGER = 3_000

/** A peer that has, or claims to have, the blocks of a session. */
export interface SessionPeer {
  readonly id: PeerId
  /** How many blocks it was asked for and has not sent. */
  asked: number
  /** Their bytes. */
  askedSize: number
  /** The blocks that it sends. */
  readonly arrivals: StallDetector
  /** How often in a row it could not be asked, or sent wrong bytes. */
  failures: number
  /** Whether it sent nothing for too long while it was asked. */
  stalled: boolean
  connected: boolean
  /** The keys of blocks that it said it does not have. */
  readonly lacks: Set<string>
}

/** The peers that are asked for the blocks below a root. */
export class SessionPeers {
  readonly #root: CID
  readonly #components: SessionComponents
  readonly #peers = new Map<string, SessionPeer>()
  readonly #listeners = new Set<() => void>()
  readonly #lackListeners = new Set<(id: PeerId) => void>()
  readonly #searches = new Set<string>()
  /** The keys of blocks for which no peer is left to ask. */
  readonly #exhausted = new Set<string>()
  /** Whether a search found no other peer to ask. */
  #isVain = false
  readonly #unwatch: () => void
  /** The ids of the peers that the user named, of the last fetch. */
  named: readonly string[] = []
  #searching = new AbortController()
  #lingering: NodeJS.Timeout | undefined

  constructor (root: CID, components: SessionComponents) {
    this.#root = root
    this.#components = components
    this.#unwatch = components.wants.onPeer((id, connected) => {
      if (connected) {
        this.#exhausted.clear()
        this.#isVain = false
      }

      this.#update(id, peer => { peer.connected = connected })
    })
  }

  get size (): number {
    return this.#peers.size
  }

  /** The connected peers that may have the blocks. */
  get connected (): PeerId[] {
    return [...this.#peers.values()]
      .filter(({ connected, failures }) => connected && failures < MAX_FAILURES)
      .map(({ id }) => id)
  }

  /** Whether there were peers and none can be asked any more. A search dials them again. */
  get areGone (): boolean {
    return this.size > 0 && this.connected.length === 0
  }

  close (): void {
    clearTimeout(this.#lingering)
    this.#searching.abort()
    this.#unwatch()
  }

  /** @returns a function that removes the listener. Searches end some time after the last one: nothing is fetched */
  onChange (listener: () => void): () => void {
    this.#listeners.add(listener)
    clearTimeout(this.#lingering)

    return () => {
      this.#listeners.delete(listener)

      if (this.#listeners.size === 0) {
        this.#lingering = setTimeout(() => {
          this.#searching.abort()
          this.#searching = new AbortController()
        }, LINGER).unref()
      }
    }
  }

  /**
   * The peer to ask for a block: one that may have it and can take one more, the one with the fewest
   * bytes to send, stalled peers last.
   */
  pick (key: string, size: number, except: { has (id: string): boolean }): SessionPeer | undefined {
    return [...this.#peers]
      .filter(([id, peer]) => !except.has(id) && this.maySend(peer, key) && hasRoom(peer, size))
      .map(([, peer]) => peer)
      .toSorted((a, b) =>
        Number(a.stalled) - Number(b.stalled) || a.askedSize - b.askedSize ||
        b.arrivals.lastArrival - a.arrivals.lastArrival)
      .at(0)
  }

  /**
   * @param key - of a block: the listener is called with peers that lack it already
   * @param listener - called with a peer that says that it lacks a block
   * @returns a function that removes the listener
   */
  onLacks (key: string, listener: (id: PeerId) => void): () => void {
    this.#peers.forEach(({ id, lacks }) => {
      if (lacks.has(key)) {
        listener(id)
      }
    })
    this.#lackListeners.add(listener)

    return () => { this.#lackListeners.delete(listener) }
  }

  /** Ask for a block anew that all peers lacked: one of them may have received it since. */
  renew (key: string): void {
    if (this.#exhausted.delete(key)) {
      this.#peers.forEach(({ lacks }) => { lacks.delete(key) })
    }
  }

  /** Whether all peers that can be found lack a block. */
  isExhausted (key: string): boolean {
    return this.#exhausted.has(key) && ![...this.#peers.values()].some(peer => this.maySend(peer, key))
  }

  /** Whether a peer may have the block but must send others first. */
  isBusy (key: string, size: number): boolean {
    return [...this.#peers.values()].some(peer => this.maySend(peer, key) && !peer.stalled && !hasRoom(peer, size))
  }

  maySend (peer: SessionPeer, key: string): boolean {
    return peer.connected && peer.failures < MAX_FAILURES && !peer.lacks.has(key)
  }

  /** A peer has one block less to send: tells the listeners, which may ask it now. */
  released (peer: SessionPeer, size: number): void {
    peer.asked--
    peer.askedSize -= size
    this.#listeners.forEach(listener => { listener() })
  }

  /** A peer sent bytes for a block, `good` if they match its hash. */
  answered (id: PeerId, good: boolean): void {
    this.#update(id, peer => {
      if (good) {
        peer.arrivals.arrived()
        Object.assign(peer, { failures: 0, stalled: false })
      } else {
        peer.failures++
      }
    })
  }

  lacks (id: PeerId, key: string): void {
    this.#lackListeners.forEach(listener => { listener(id) })
    this.#update(id, peer => { peer.lacks.add(key) })
  }

  /** A want could not be sent to a peer. */
  failed (id: PeerId): void {
    this.#update(id, peer => {
      peer.failures++
      peer.connected = this.#isConnected(id)
    })
  }

  /** Starts a search in the background, until there are enough peers or nothing is being fetched. */
  search (cid: CID): void {
    // a peer with the root has the blocks below it, unless one of them said that it lacks this one, or none has it
    const wanted = this.#exhausted.has(keyOf(this.#root)) ||
      [...this.#peers.values()].some(({ lacks }) => lacks.has(keyOf(cid)))
      ? cid
      : this.#root
    const key = keyOf(wanted)

    if (this.#searches.has(key)) {
      return
    }

    this.#searches.add(key)
    setMaxListeners(0, this.#searching.signal)
    searchPeers(wanted, {
      ...this.#components,
      signal: this.#searching.signal,
      count: () => [...this.#peers.values()].filter(peer => this.maySend(peer, key)).length,
      isIn: id => this.#peers.get(id.toString())?.connected === true,
      lost: () => [...this.#peers.values()]
        .filter(({ connected, failures }) => !connected && failures < MAX_FAILURES)
        .map(({ id }) => id),
      found: id => { this.#add(id, key) },
      lacks: id => { this.lacks(id, key) },
      isLacking: id => this.#peers.get(id.toString())?.lacks.has(key) === true,
      isVain: this.#isVain,
      named: () => this.named,
      exhausted: () => {
        this.#isVain = true
        forgetOldest(this.#exhausted.add(key), MAX_EXHAUSTED)
        this.#listeners.forEach(listener => { listener() })
      },
      // a peer may have received the block since
      forgetLacks: () => {
        this.#peers.forEach(({ id }) => { this.#update(id, ({ lacks }) => { lacks.delete(key) }) })
      }
    }).catch(() => {}).finally(() => { this.#searches.delete(key) })
  }

  #add (id: PeerId, key: string): void {
    if (!this.#peers.has(id.toString())) {
      this.#peers.set(id.toString(), {
        id,
        asked: 0,
        askedSize: 0,
        arrivals: new StallDetector(),
        failures: 0,
        stalled: false,
        connected: true,
        lacks: new Set()
      })
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

/** A peer with nothing to send takes one block of any size. */
function hasRoom ({ asked, askedSize }: SessionPeer, size: number): boolean {
  return asked === 0 || (asked < MAX_ASKED && askedSize + size <= MAX_ASKED_SIZE)
}
