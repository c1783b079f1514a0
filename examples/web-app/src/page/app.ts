import type { Source } from '../ipfs/read.ts'
import type { Node } from '../ipfs/peer.ts'
import type { Store } from '../ipfs/store.ts'

export interface OpenOptions {
  /** What it is called here. */
  name?: string
  /** Go there: for who asked for it, not for who does something else meanwhile. */
  focus?: boolean
}

/** What the parts of the page know of each other. */
export interface App {
  store: Store
  /** Where blocks are read from: this browser, and peers while there are any. */
  source: () => Source
  /** The node, while a peer is connected. */
  node: () => Node | undefined
  /** Open an address in the viewer. */
  open: (address: string, options?: OpenOptions) => Promise<void>
  /** The list has changed. */
  refresh: () => Promise<void>
}
