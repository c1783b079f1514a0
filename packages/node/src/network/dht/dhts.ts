// Room: the DHT: who has a CID, and telling others what this node has.
import { setTimeout } from 'node:timers/promises'
import { hasPeers } from '../helia-internals/routing-table.ts'
import type { Identify } from '@libp2p/identify'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Ping } from '@libp2p/ping'
import type { Libp2p } from 'libp2p'

/** How long a new node may take to find its first DHT peer, in milliseconds. */
const DEFAULT_TIMEOUT = 10_000
/** How often to check, in milliseconds. */
const INTERVAL = 25

/** The libp2p services of a node. */
export interface Services extends Record<string, unknown> {
  identify: Identify
  ping: Ping
  /** The DHT of the public network. */
  wan: KadDHT
  /** The DHT of private addresses, loopback included. Kubo runs the same two. */
  lan: KadDHT
}

/** The DHTs that have at least one peer to ask. */
export function usableDhts ({ services: { wan, lan } }: Libp2p<Services>): KadDHT[] {
  return [lan, wan].filter(hasPeers)
}

/**
 * Waits until a DHT has a peer to ask. Returns without an error if the timeout ends first.
 *
 * @param timeout - in milliseconds
 */
export async function waitForDht (
  libp2p: Libp2p<Services>,
  signal: AbortSignal,
  timeout = DEFAULT_TIMEOUT
): Promise<void> {
  const deadline = Date.now() + timeout

  while (usableDhts(libp2p).length === 0 && Date.now() < deadline) {
    await setTimeout(INTERVAL, undefined, { signal }).catch(() => {})
    // the reason of the signal, not the AbortError of the timer
    signal.throwIfAborted()
  }
}
