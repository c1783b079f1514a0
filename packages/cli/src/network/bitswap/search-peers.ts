import { setTimeout as delay } from 'node:timers/promises'
import { usable } from '../dht/dhts.ts'
import { findProviders } from '../dht/find-providers.ts'
import { waitForDht } from '../dht/wait-for-dht.ts'
import type { SessionPeersComponents } from './session-peers.ts'
import type { PeerId } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** So many peers are enough. */
const MAX_PEERS = 6
/** How long to wait before others are looked for again, in milliseconds. It doubles each time. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 8_000
/** As long where there are some. */
const LONGEST_WAIT_WITH_PEERS = 60_000

export interface SearchPeersInit extends SessionPeersComponents {
  signal: AbortSignal
  /** How many may have it. */
  count: () => number
  /** Whether a peer is one of them, and connected. */
  isIn: (id: PeerId) => boolean
  /** Those that went away. */
  lost: () => PeerId[]
  found: (id: PeerId) => void
  lacks: (id: PeerId) => void
  /** All are asked once more. */
  again: () => void
}

/**
 * Look for peers that have a block: those that are connected are asked, at the same
 * time as the DHTs. To wait for the first before the second was half of the time
 * until a first block came.
 */
export async function searchPeers (cid: CID, { libp2p, wants, signal, count, isIn, lost, found, lacks, again }: SearchPeersInit): Promise<void> {
  let wait = FIRST_WAIT

  const ask = (peer: PeerId): void => {
    if (isIn(peer)) {
      return
    }

    if (libp2p.getPeers().length === 1) {
      // of a single peer the block itself is asked, which saves a round trip
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
    // a single peer is not waited for to say what it speaks, which saves some more
    ;(connected.length === 1 ? connected : wants.peers()).forEach(ask)

    while (!signal.aborted && count() < MAX_PEERS) {
      const couldAsk = usable(libp2p).length > 0
      // what they have sent is kept, and the rest is asked for
      lost().forEach(id => { libp2p.dial(id, { signal }).catch(() => {}) })

      for await (const { id } of findProviders(libp2p, cid, signal)) {
        // one that is not there must not keep the others waiting
        libp2p.dial(id, { signal }).then(() => found(id), () => {})

        if (count() >= MAX_PEERS) {
          return
        }
      }

      if (couldAsk) {
        await delay(wait, undefined, { signal })
      } else {
        // as in the first moments of a node
        await waitForDht(libp2p, signal, wait)
      }

      wait = Math.min(wait * 2, count() > 0 ? LONGEST_WAIT_WITH_PEERS : LONGEST_WAIT)
      again()
      wants.peers().forEach(ask)
    }
  } finally {
    unlisten()
    unwatch()
  }
}
