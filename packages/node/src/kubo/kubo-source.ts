import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The blocks and pins of a Kubo node, to read. */
export interface KuboSource {
  blockstore: Pick<Blockstore, 'get' | 'has' | 'put'>
  /** The recursive pins. */
  pins: (signal: AbortSignal) => AsyncIterable<{ cid: CID, name?: string }>
  /** Remove a recursive pin, while they are not listed. Undefined for a Kubo that does not run. */
  unpin?: (cid: CID, signal: AbortSignal) => Promise<void>
  close: () => Promise<void>
}
