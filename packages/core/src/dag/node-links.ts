import { decode } from '@ipld/dag-pb'
import { BYTES, readFields } from '../format/protobuf.ts'
import type { PBLink } from '@ipld/dag-pb'

/** Field numbers of a dag-pb node. */
const DATA = 1
const LINK = 2

/**
 * The links of a node, each decoded when it is accessed. Decoded, a link takes 600 bytes, but
 * a hostile block can have one in every 8 bytes: 18 MB of such blocks took more than a
 * gigabyte.
 */
export class NodeLinks implements Iterable<PBLink> {
  readonly length: number
  readonly #block: Uint8Array
  /** Where each link begins, and where the last one ends. */
  readonly #offsets: Uint32Array

  constructor (block: Uint8Array, offsets: Uint32Array) {
    this.length = offsets.length - 1
    this.#block = block
    this.#offsets = offsets
  }

  /** Decode the link at an index from 0 to `length` - 1. */
  at (index: number): PBLink {
    return decode(this.#block.subarray(this.#offsets[index], this.#offsets[index + 1])).Links[0]
  }

  * [Symbol.iterator] (): Generator<PBLink> {
    for (let i = 0; i < this.length; i++) {
      yield this.at(i)
    }
  }

  /** Decode the links for which `predicate` is true. */
  filter (predicate: (link: PBLink) => boolean): PBLink[] {
    const found: PBLink[] = []

    for (const link of this) {
      if (predicate(link)) {
        found.push(link)
      }
    }

    return found
  }
}

/**
 * The data and the links of a dag-pb block, like `decode` of `@ipld/dag-pb`.
 *
 * @throws {Error} it is not a dag-pb block
 */
export function decodeBlock (bytes: Uint8Array): { data: Uint8Array | undefined, links: NodeLinks } {
  // subarrays of a Buffer are slow to create
  const block = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let data: Uint8Array | undefined
  let count = 0

  for (const { number, type } of readFields(block)) {
    if ((number !== DATA && number !== LINK) || type !== BYTES) {
      throw new Error(`it has an unknown field ${number} of wire type ${type}`)
    }

    count += number === LINK ? 1 : 0
  }

  const offsets = new Uint32Array(count + 1)
  let position = 0
  let links = 0

  for (const field of readFields(block)) {
    const end = field.bytes.byteOffset - block.byteOffset + field.bytes.byteLength

    if (field.number === DATA) {
      if (data != null || (links > 0 && links < count)) {
        throw new Error('its Data field occurs twice, or between its links')
      }

      data = field.bytes
    } else {
      // throws if the link is invalid
      decode(block.subarray(position, end))
      offsets[links++] = position
      offsets[links] = end
    }

    position = end
  }

  return { data, links: new NodeLinks(block, offsets) }
}
