import type { CID } from 'multiformats/cid'

/** A link of a node. */
export interface Item {
  cid: CID
  /** Bytes of its block, possibly a guess. */
  size: number
  /** Why its block is fetched: to be decoded (`node`), to be yielded (`leaf`), or not at all. */
  use: 'node' | 'leaf' | 'none'
}

/** The items of a node, in order, held in few bytes: each item is created when it is read. */
export interface ItemList<I> {
  readonly length: number
  /** Bytes of memory that the list takes. */
  readonly byteLength: number
  at (index: number): I
  /** The index of the first item, from `index` on, whose block is needed, or `length`. */
  nextBlock (index: number): number
}

export interface Opened<I, Node> {
  /** What is yielded for the node. */
  node: Node
  /** Bytes of memory that `node` takes. */
  byteLength: number
  items: ItemList<I>
}

/** An item that is yielded: with its block if it is a leaf, with its decoded node if it is one. */
export interface ReadItem<I, Node> {
  item: I
  block?: Uint8Array
  node?: Node
}
