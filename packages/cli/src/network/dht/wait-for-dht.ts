import { setTimeout } from 'node:timers/promises'
import { usable } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p } from '@libp2p/interface'

/** How long a node that has just been started may take to find somebody to ask, in milliseconds. */
const PATIENCE = 10_000
/** How often it is looked, in milliseconds. */
const INTERVAL = 25

/**
 * Until a DHT has somebody to ask, or it takes too long.
 *
 * @param patience - in milliseconds
 */
export async function waitForDht (libp2p: Libp2p<Services>, signal: AbortSignal, patience = PATIENCE): Promise<void> {
  const deadline = Date.now() + patience

  while (usable(libp2p).length === 0 && Date.now() < deadline) {
    await setTimeout(INTERVAL, undefined, { signal }).catch(() => {})
    // why it is over: time that is up is no interruption
    signal.throwIfAborted()
  }
}
