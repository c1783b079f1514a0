import { setTimeout } from 'node:timers/promises'
import { KEEP_ALIVE } from '@libp2p/interface'
import type { Libp2p } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'

/** With fewer peers than this, bootstrap peers are dialled again. */
const ENOUGH_PEERS = 4
/** How long until a failed dial is tried again, in milliseconds. It doubles each time. */
const FIRST_WAIT = 1_000
const LONGEST_WAIT = 60_000

/** Stays connected to `peers`, and to the bootstrap peers while there are few others. Runs until the signal aborts. */
export function keepConnected (
  libp2p: Libp2p,
  bootstrap: readonly Multiaddr[],
  peers: readonly Multiaddr[],
  signal: AbortSignal
): void {
  const areFew = (): boolean => libp2p.getPeers().length < ENOUGH_PEERS

  bootstrap.forEach(address => { void keep(libp2p, address, areFew, signal) })
  peers.forEach(address => { void keep(libp2p, address, () => true, signal) })
}

async function keep (libp2p: Libp2p, address: Multiaddr, isWanted: () => boolean, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT
  let connected = false

  while (!signal.aborted) {
    try {
      if (!connected || isWanted()) {
        // returns the open connection, if there is one
        const { remotePeer } = await libp2p.dial(address, { signal })
        connected = true
        wait = FIRST_WAIT
        await libp2p.peerStore.merge(remotePeer, { tags: { [KEEP_ALIVE]: { value: 1 } } })
      }
    } catch {
      connected = false
      wait = Math.min(wait * 2, LONGEST_WAIT)
    }

    await setTimeout(connected ? LONGEST_WAIT / 4 : wait, undefined, { signal, ref: false }).catch(() => {})
  }
}
