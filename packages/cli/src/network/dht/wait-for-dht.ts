import { setTimeout } from 'node:timers/promises'
import { usableDhts } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p } from '@libp2p/interface'

/** How long a new node may take to find its first DHT peer, in milliseconds. */
const DEFAULT_TIMEOUT = 10_000
/** How often to check, in milliseconds. */
const INTERVAL = 25

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
