import { setTimeout } from 'node:timers/promises'

/** Runs a command of Kubo. Ends it when the signal aborts. */
type Ipfs = (args: string[], input?: Uint8Array, signal?: AbortSignal) => Promise<Buffer>

/** How often the wantlist is looked at, in milliseconds, and how often in a row it may be empty. */
const INTERVAL = 1000
const MAX_EMPTY = 20

/**
 * Pin what peers have.
 *
 * Kubo 0.42 sometimes forgets the last blocks that a pin waits for: it asks nobody for them, and the pin never ends.
 * Then the pin is begun again, as its user would do. A peer that does not answer looks different: Kubo's wantlist
 * still names the blocks, and the test fails.
 */
export async function pinFromPeers (cid: string, ipfs: Ipfs): Promise<void> {
  while (!await pinOrForget(cid, ipfs)) {
    // what has arrived is not fetched again
  }
}

/** @returns whether it is pinned. False: Kubo has forgotten what it waits for */
async function pinOrForget (cid: string, ipfs: Ipfs): Promise<boolean> {
  const forgotten = new AbortController()
  const pinned = ipfs(['pin', 'add', cid], undefined, forgotten.signal).then(() => true)
  const settled = pinned.then(() => true, () => true)

  for (let empty = 0; empty < MAX_EMPTY;) {
    if (await Promise.race([settled, setTimeout(INTERVAL, false, { ref: false })])) {
      return pinned
    }

    const wants = (await ipfs(['bitswap', 'wantlist'])).toString().trim()
    empty = wants === '' ? empty + 1 : 0
  }

  forgotten.abort()
  await settled

  return pinned.catch(() => false)
}
