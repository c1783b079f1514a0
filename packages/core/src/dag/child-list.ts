import * as dagPb from '@ipld/dag-pb'
import { MAX_FOREIGN_LEAF_SIZE, NODE_SIZE_GUESS } from '../constants.ts'
import { CidList } from './cid-list.ts'
import type { Item, ItemList } from './items.ts'
import type { CID } from 'multiformats/cid'

/** A block of a file, as the node above it describes it. */
export interface Child extends Item {
  /** Bytes of the file in it and below it. */
  bytes: number
  /** Its offset in the file. */
  position: number
  /** Levels below the root. */
  depth: number
}

/** The links of a file's node, in a tenth of the memory that decoded links take. */
export class ChildList implements ItemList<Child> {
  readonly #depth: number
  readonly #cids: CidList
  readonly #bytes: Float64Array
  readonly #positions: Float64Array

  /**
   * @param depth - how many levels below the root these children are
   * @param capacity - maximum number of children it can hold
   */
  constructor (depth: number, capacity: number) {
    this.#depth = depth
    this.#cids = new CidList(capacity)
    this.#bytes = new Float64Array(capacity)
    this.#positions = new Float64Array(capacity)
  }

  get length (): number {
    return this.#cids.length
  }

  get byteLength (): number {
    return this.#cids.byteLength + this.#bytes.byteLength + this.#positions.byteLength
  }

  push (cid: CID, bytes: number, position: number): void {
    this.#bytes[this.length] = bytes
    this.#positions[this.length] = position
    this.#cids.push(cid)
  }

  at (index: number): Child {
    const cid = this.#cids.at(index)
    const bytes = this.#bytes[index]
    const isNode = cid.code === dagPb.code

    return {
      cid,
      bytes,
      position: this.#positions[index],
      depth: this.#depth,
      use: isNode ? 'node' : 'leaf',
      // a small dag-pb block may be a leaf, as Kubo writes by default
      size: isNode && bytes > MAX_FOREIGN_LEAF_SIZE ? NODE_SIZE_GUESS : bytes
    }
  }

  nextBlock (index: number): number {
    return index
  }
}
