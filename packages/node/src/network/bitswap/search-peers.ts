import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { usableDhts, waitForDht } from '../dht/dhts.ts'
import { findProviders } from '../dht/find-providers.ts'
import type { Services } from '../dht/dhts.ts'
import type { Wants } from './wants.ts'
import type { EarlyBudget } from '@ipfsz/core/libp2p'
import type { Libp2p, PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** The search ends when this many peers may have the block. */
const MAX_PEERS = 6
/** How long until the next round, in milliseconds. It doubles each time. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 8_000
/** The same once a peer was found. */
const LONGEST_WAIT_WITH_PEERS = 60_000
/**
 * So many connected peers, as the nodes of a few sites are, may first say whether they have the block, for so many
 * milliseconds: to ask a DHT about a file that one of them has takes more bytes than a small file.
 */
const FEW_PEERS = 32
const HEAD_START = 250
/**
 * How long a peer that was found is left to send the block until a DHT is asked for others, in milliseconds: longer
 * than a search goes on after the last fetch. Kubo waits for a minute.
 */
const PATIENCE = 4_000

/** What a session finds peers with and asks them through. */
export interface SessionComponents {
  libp2p: Libp2p<Services>
  wants: Wants
  /** What all sessions hold of blocks that peers sent over HTTP before they were asked for, in bytes. */
  early: EarlyBudget
  /** Whether the node connects only to specified peers: it does not listen, and has no bootstrap peers. */
  onlyNamed?: boolean | undefined
  /** Whether the node has bootstrap peers, which lead to a DHT. */
  hasBootstrap?: boolean | undefined
}

export interface SearchPeersInit extends SessionComponents {
  signal: AbortSignal
  /** How many connected peers may have the block. */
  count: () => number
  /** Whether a peer is in the session and connected. */
  isIn: (id: PeerId) => boolean
  /** The peers of the session that disconnected. */
  lost: () => PeerId[]
  found: (id: PeerId) => void
  lacks: (id: PeerId) => void
  /** Whether a peer of the session has said that it lacks the block. */
  isLacking: (id: PeerId) => boolean
  /** The ids of the peers that the user named: when all of them lack the block, and nobody else has it, this ends. */
  named: () => readonly string[]
  /** Whether an earlier search found no other peer to ask. */
  isVain: boolean
  /** No peer is left to ask: all connected or all named peers lack it, and no other can be found. Ends the search. */
  exhausted: () => void
  /** Forgets which peers lacked the block, so that all are asked again. */
  forgetLacks: () => void
}

/**
 * Looks for peers that have a block: asks the connected peers and the DHTs. Many peers and the DHTs are asked at the
 * same time: asking one after the other doubled the time to the first block. A few have a head start.
 */
export async function searchPeers (cid: CID, init: SearchPeersInit): Promise<void> {
  const { libp2p, wants, signal, onlyNamed = false, hasBootstrap = false } = init
  const { count, isIn, lost, found, lacks, isLacking, forgetLacks, named } = init
  const answers = new EventEmitter()
  const answered = new Set<string>()
  const lacking = new Set<string>()
  /** The peers that were asked whether they have it. */
  const presences = new Set<PeerId>()
  let wait = FIRST_WAIT

  /** Wait until some time has passed, or a condition is met. */
  const pause = async (time: number, isOver: () => boolean): Promise<void> => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(time)])

    while (!either.aborted && !isOver()) {
      await once(answers, 'answer', { signal: either }).catch(() => {})
    }
  }
  const answer = (sender: PeerId, has: boolean): void => {
    (has ? found : lacks)(sender)
    answered.add(sender.toString())
    lacking[has ? 'delete' : 'add'](sender.toString())
    answers.emit('answer')
  }
  const ask = (peer: PeerId): void => {
    if (isIn(peer)) {
      return
    }

    if (libp2p.getPeers().length === 1) {
      // ask the only peer for the block itself, which saves a round trip
      found(peer)
    } else {
      wants.send(cid, peer, 'presence').catch(() => {})
      presences.add(peer)
    }
  }
  const doesLack = (peer: PeerId): boolean => lacking.has(peer.toString()) || isLacking(peer)
  const allLack = (): boolean => {
    const peers = libp2p.getPeers()

    return peers.length > 0 && peers.every(doesLack)
  }
  const allNamedLack = (): boolean => {
    const ids = named()
    const lackingIds = new Set(libp2p.getPeers().filter(doesLack).map(String))

    return ids.length > 0 && ids.every(id => lackingIds.has(id))
  }
  const isOver = (): boolean =>
    !signal.aborted && count() === 0 && (allNamedLack() || (onlyNamed && allLack()))
  const end = (): void => {
    // a peer does not answer a later question while it has this one
    presences.forEach(peer => { wants.cancel(cid, peer).catch(() => {}) })
    init.exhausted()
  }
  const unlisten = wants.listen(cid, {
    presence: (has, sender) => { answer(sender, has) },
    block: (_, sender) => { answer(sender, true) }
  })
  const unwatch = wants.onPeer((peer, connected) => {
    if (connected) {
      ask(peer)
    } else {
      // it may have been the one that was found
      answers.emit('answer')
    }
  })

  try {
    const connected = libp2p.getPeers()
    // do not wait until the only peer is known to speak Bitswap, which saves more
    const asked = connected.length === 1 ? connected : wants.peers()
    asked.forEach(ask)

    if (asked.length <= FEW_PEERS) {
      await pause(HEAD_START, () => count() > 0 || allLack() || asked.every(peer => answered.has(peer.toString())))
      await pause(PATIENCE, () => count() === 0)
    }

    if (init.isVain && isOver()) {
      end()
      return
    }

    for (let round = 0; !signal.aborted && count() < MAX_PEERS; round++) {
      const couldAsk = usableDhts(libp2p).length > 0
      // a peer that left may come back, and then sends the rest
      lost().forEach(id => { libp2p.dial(id, { signal }).catch(() => {}) })

      for await (const { id } of findProviders(libp2p, cid, signal)) {
        // not awaited: a peer that is unreachable must not delay the others
        libp2p.dial(id, { signal }).then(() => found(id), () => {})

        if (count() >= MAX_PEERS) {
          return
        }
      }

      if (couldAsk) {
        await delay(wait, undefined, { signal })
      } else {
        // a new node has no DHT peers yet
        await waitForDht(libp2p, signal, wait)
      }

      // a DHT was asked, if there is one: a peer says that it serves one soon after it connects
      if (isOver() && (couldAsk || (round > 0 && !hasBootstrap))) {
        end()
        return
      }

      wait = Math.min(wait * 2, count() > 0 ? LONGEST_WAIT_WITH_PEERS : LONGEST_WAIT)
      forgetLacks()
      wants.peers().forEach(ask)
    }
  } finally {
    unlisten()
    unwatch()
  }
}
