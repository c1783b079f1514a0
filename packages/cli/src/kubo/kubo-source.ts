import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The blocks and pins of a Kubo node, to read. */
export interface KuboSource {
  blockstore: Pick<Blockstore, 'get' | 'has' | 'put'>
  /** The recursive pins. */
  pins: (signal: AbortSignal) => AsyncIterable<{ cid: CID, name?: string }>
  close: () => Promise<void>
}
