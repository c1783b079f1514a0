import { setTimeout as delay } from 'node:timers/promises'
import { usableDhts } from '../dht/dhts.ts'
import { findProviders } from '../dht/find-providers.ts'
import { waitForDht } from '../dht/wait-for-dht.ts'
import type { SessionComponents } from './session-components.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** The search ends when this many peers may have the block. */
const MAX_PEERS = 6
/** How long until the next round, in milliseconds. It doubles each time. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 8_000
/** The same once a peer was found. */
const LONGEST_WAIT_WITH_PEERS = 60_000

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
  /** Forgets which peers lacked the block, so that all are asked again. */
  forgetLacks: () => void
}

/**
 * Looks for peers that have a block: asks the connected peers and the DHTs at the same time.
 * Asking one after the other doubled the time to the first block.
 */
export async function searchPeers (cid: CID, init: SearchPeersInit): Promise<void> {
  const { libp2p, wants, signal, count, isIn, lost, found, lacks, forgetLacks } = init
  let wait = FIRST_WAIT

  const ask = (peer: PeerId): void => {
    if (isIn(peer)) {
      return
    }

    if (libp2p.getPeers().length === 1) {
      // ask the only peer for the block itself, which saves a round trip
      found(peer)
    } else {
      wants.send(cid, peer, 'presence').catch(() => {})
    }
  }
  const unlisten = wants.listen(cid, {
    presence: (has, sender) => { (has ? found : lacks)(sender) },
    block: (_, sender) => { found(sender) }
  })
  const unwatch = wants.onPeer((peer, connected) => {
    if (connected) {
      ask(peer)
    }
  })

  try {
    const connected = libp2p.getPeers()
    // do not wait until the only peer is known to speak Bitswap, which saves more
    ;(connected.length === 1 ? connected : wants.peers()).forEach(ask)

    while (!signal.aborted && count() < MAX_PEERS) {
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

      wait = Math.min(wait * 2, count() > 0 ? LONGEST_WAIT_WITH_PEERS : LONGEST_WAIT)
      forgetLacks()
      wants.peers().forEach(ask)
    }
  } finally {
    unlisten()
    unwatch()
  }
}
