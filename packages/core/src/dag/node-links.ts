import { decode } from '@ipld/dag-pb'
import { BYTES, readFields } from '../format/protobuf.ts'
import type { PBLink } from '@ipld/dag-pb'

/** Field numbers of a dag-pb node. */
const DATA = 1
const LINK = 2

/** The keys of the fields of a link: a CID, and a name. dag-pb takes them in this order alone. */
const HASH = 0x0a
const NAME = 0x12

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const REPLACEMENT = '\ufffd'
const utf8 = new TextDecoder()

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

  /** The name of each link, without decoding its CID, which takes ten times as long. */
  * names (): Generator<string> {
    for (let i = 0; i < this.length; i++) {
      const { start, end } = this.#nameOf(i)

      yield utf8.decode(this.#block.subarray(start, end))
    }
  }

  /** The links with a name. Only these are decoded: a file of a large directory is found in a fiftieth of the time. */
  named (name: string): PBLink[] {
    const bytes = new TextEncoder().encode(name)
    const found: PBLink[] = []
    // other bytes may have the same name: invalid ones are read as the replacement character
    const isExact = !name.includes(REPLACEMENT) && utf8.decode(bytes) === name

    for (let i = 0; i < this.length; i++) {
      if (!isExact || this.#isNamed(i, bytes)) {
        const link = this.at(i)

        if (link.Name === name) {
          found.push(link)
        }
      }
    }

    return found
  }

  #isNamed (index: number, bytes: Uint8Array): boolean {
    const block = this.#block
    const { start, end } = this.#nameOf(index)
    // a byte order mark is left out when the name is read
    const from = BYTE_ORDER_MARK.every((byte, i) => block[start + i] === byte) ? start + BYTE_ORDER_MARK.length : start

    if (end - from !== bytes.byteLength) {
      return false
    }

    for (let i = 0; i < bytes.byteLength; i++) {
      if (block[from + i] !== bytes[i]) {
        return false
      }
    }

    return true
  }

  /** Where the name of a link is: before it are its CID, if it has one, and lengths. The link is valid. */
  #nameOf (index: number): { start: number, end: number } {
    const block = this.#block
    const limit = this.#offsets[index + 1]
    // the field and the length of the link
    let position = afterVarint(block, afterVarint(block, this.#offsets[index]))

    while (position < limit) {
      const field = varintAt(block, position)
      const length = afterVarint(block, position)
      const start = afterVarint(block, length)
      const end = start + varintAt(block, length)

      if (field === NAME) {
        return { start, end }
      }

      // the sizes come last
      position = field === HASH ? end : limit
    }

    return { start: limit, end: limit }
  }
}

function afterVarint (bytes: Uint8Array, position: number): number {
  let end = position

  while (bytes[end] >= 0x80) {
    end++
  }

  return end + 1
}

function varintAt (bytes: Uint8Array, position: number): number {
  let value = 0
  let scale = 1

  for (let i = position; ; i++) {
    value += (bytes[i] & 0x7f) * scale
    scale *= 0x80

    if (bytes[i] < 0x80) {
      return value
    }
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
