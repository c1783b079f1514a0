import type { Settled } from '../util/map-ordered.ts'
import type { ItemList } from './items.ts'

/*
 * What `readAhead` keeps of a DAG whose blocks are being read: a chain of places, in the
 * order in which they are handed out. A span stands for items of which nothing has been
 * asked for yet, a step for one item that has been asked for.
 */

/** The list of one node, as long as anything of it waits. */
export interface Held<I> {
  list: ItemList<I>
  spans: number
  /** Whether the turn of its node has come. */
  entered: boolean
}

/** Items of a node in whose blocks nothing has been asked for. */
export interface Span<I, Node> {
  held: Held<I>
  index: number
  end: number
  next: Place<I, Node> | undefined
}

/** An item whose block is asked for. */
export interface Step<I, Node> {
  item: I
  /** Bytes that it counts for, until it is taken. */
  size: number
  counted: boolean
  /** Whether it counts as a block that is read ahead, as all do but nodes that were looked into. */
  blocked: boolean
  result?: Promise<Settled<Uint8Array | undefined>> | undefined
  opened?: { node: Node, held: Held<I> }
  next: Place<I, Node> | undefined
}

export type Place<I, Node> = Span<I, Node> | Step<I, Node>
