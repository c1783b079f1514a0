import { NODE_SIZE_GUESS } from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { CidList } from '../dag/cid-list.ts'
import { childPlace, prefixLength, slotBits, slotOf } from './shard-place.ts'
import type { FileNode } from '../dag/node.ts'
import type { Item, ItemList } from '../dag/items.ts'
import type { ShardPlace } from './shard-place.ts'

/** A link of a shard: an entry of the directory, or a shard below it, which has an empty name. */
export interface ShardItem extends Item {
  name: string
  /** Bytes of all blocks below it, as stated by the shard. */
  dagSize: number
  place: ShardPlace
}

/** Approximate bytes of a string besides its characters, which take up to two bytes each. */
const NAME_SIZE = 40

/** The links of a shard, in little more memory than its block takes. */
export class ShardList implements ItemList<ShardItem> {
  readonly length: number
  readonly byteLength: number
  readonly #cids: CidList
  readonly #names: string[] = []
  readonly #dagSizes: Float64Array
  readonly #slots: Uint32Array
  readonly #place: ShardPlace
  readonly #bits: number

  /**
   * @throws {InvalidDagError} the shard is deeper than its names' hashes reach, has an invalid
   *   label, or links to a child or a shard twice
   */
  constructor (shard: FileNode, place: ShardPlace) {
    const { cid, links } = shard
    const prefix = prefixLength(shard)
    const slots = new Set<number>()
    const shards = new Set<string>()

    this.length = links.length
    this.#place = place
    this.#bits = slotBits(shard, place)
    this.#cids = new CidList(links.length)
    this.#dagSizes = new Float64Array(links.length)
    this.#slots = new Uint32Array(links.length)

    for (const { Name: label = '', Hash, Tsize: dagSize = 0 } of links) {
      const slot = slotOf(shard, label, prefix)

      if (slots.has(slot)) {
        throw new InvalidDagError(cid, 'is a shard with two links for the same child')
      }

      if (label.length === prefix) {
        const key = Hash.toString()

        if (shards.has(key)) {
          throw new InvalidDagError(cid, 'is a shard that links to another shard twice')
        }

        shards.add(key)
      }

      this.#slots[slots.size] = slot
      this.#dagSizes[slots.size] = dagSize
      this.#names.push(label.slice(prefix))
      this.#cids.push(Hash)
      slots.add(slot)
    }

    this.byteLength = this.#cids.byteLength + this.#dagSizes.byteLength + this.#slots.byteLength +
      this.#names.reduce((size, name) => size + NAME_SIZE + name.length * 2, 0)
  }

  at (index: number): ShardItem {
    const name = this.#names[index]

    return {
      cid: this.#cids.at(index),
      size: NODE_SIZE_GUESS,
      use: name === '' ? 'node' : 'none',
      name,
      dagSize: this.#dagSizes[index],
      place: childPlace(this.#place, this.#slots[index], this.#bits)
    }
  }

  nextBlock (index: number): number {
    const next = this.#names.indexOf('', index)

    return next === -1 ? this.length : next
  }
}
