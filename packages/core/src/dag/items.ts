import type { CID } from 'multiformats/cid'

/** What a node links to. */
export interface Item {
  cid: CID
  /** Bytes of its block, or a guess. */
  size: number
  /** What its block is fetched for: to be looked into, to be handed out, or not at all. */
  use: 'node' | 'leaf' | 'none'
}

/** The items of a node in order, held in few bytes: each is made when its turn comes. */
export interface ItemList<I> {
  readonly length: number
  /** Bytes of memory that it takes. */
  readonly byteLength: number
  at (index: number): I
  /** The first item from there on whose block is needed, or `length`. */
  nextBlock (index: number): number
}

/** What a node's block holds. */
export interface Opened<I, Node> {
  /** What is handed out when its turn has come. */
  node: Node
  /** Bytes of memory that this takes. */
  byteLength: number
  items: ItemList<I>
}

/** An item whose turn has come: with its block where it is a leaf, with what was made of it where it is a node. */
export interface ReadItem<I, Node> {
  item: I
  block?: Uint8Array
  node?: Node
}
