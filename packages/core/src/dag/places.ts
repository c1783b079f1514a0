import type { Settled } from '@ipfsz/utils/map-ordered'
import type { ItemList } from './items.ts'

/*
 * The state of `readAhead`: a linked list of places, in the order in which their items are
 * yielded. A span stands for items that have not been requested yet, a step for one requested
 * item.
 */

/** The item list of one node, held while any of its items remain. */
export interface Held<I> {
  list: ItemList<I>
  spans: number
  /** Whether the node itself has been yielded. */
  entered: boolean
}

/** A range of a node's items, `index` to `end`, that have not been requested. */
export interface Span<I, Node> {
  held: Held<I>
  index: number
  end: number
  next: Place<I, Node> | undefined
}

/** An item whose block has been requested. */
export interface Step<I, Node> {
  item: I
  /** Bytes that it counts against the budget until it is yielded. */
  size: number
  counted: boolean
  /** Whether it counts as a block read ahead. A decoded node whose children are read no longer does. */
  blocked: boolean
  result?: Promise<Settled<Uint8Array | undefined>> | undefined
  opened?: { node: Node, held: Held<I> }
  next: Place<I, Node> | undefined
}

export type Place<I, Node> = Span<I, Node> | Step<I, Node>
