import type { Address, Source } from '../ipfs/read.ts'
import type { Node } from '../ipfs/peer.ts'
import type { Store } from '../ipfs/store.ts'
import type { PlayedFiles } from './played-files.ts'

export interface OpenOptions {
  /** Its name on this page. */
  name?: string
  /** Scroll and focus there. Only if the user asked for it. */
  focus?: boolean
  /** Scroll there if it is out of sight. */
  reveal?: boolean
}

export interface ShowOptions extends Omit<OpenOptions, 'name'> {
  name?: string | undefined
  /** Settles when a peer is connected, or none can be. */
  connected?: Promise<void> | undefined
}

/** What shows one file or folder at a time. */
export interface Screen {
  show: (address: Address, options?: ShowOptions) => Promise<void>
  /** Show why something cannot be opened. */
  fail: (err: unknown, options?: Pick<ShowOptions, 'reveal'>) => void
  /** Show nothing. */
  clear: () => void
}

/** What the parts of the page share. */
export interface App {
  store: Store
  /** Reads blocks from this browser, and from peers while any are connected. */
  source: () => Source
  /** The node, while a peer is connected. */
  node: () => Node | undefined
  /** Answers players that ask for parts of a file. */
  players: PlayedFiles
  /** Open an address in the viewer. */
  open: (address: string, options?: OpenOptions) => Promise<void>
  /** The list has changed. */
  refresh: () => Promise<void>
}
