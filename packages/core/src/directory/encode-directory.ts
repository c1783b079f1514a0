import { LINK, NODE } from '../dag/file-block.ts'
import { pushFieldHead, pushVarintField, varintLength } from '../format/protobuf.ts'
import type { FieldOrder } from '@ipld/dag-pb'

const encoder = new TextEncoder()

/** An entry of a directory, as its link says it. */
export interface EncodedLink {
  /** In UTF-8. */
  name: Uint8Array
  cid: Uint8Array
  /** Bytes of all blocks below it. */
  size: number
  /** Bytes of the link in the block of the directory. */
  length: number
}

/** @throws {RangeError} the size exceeds 2^53 - 1 */
export function encodeLink (name: string, cid: Uint8Array, size: number): EncodedLink {
  if (!Number.isSafeInteger(size)) {
    throw new RangeError(`The size ${size} of an entry exceeds 2^53 - 1`)
  }

  const bytes = encoder.encode(name)
  const inner = contentLength(cid, bytes, size)

  return { name: bytes, cid, size, length: 1 + varintLength(inner) + inner }
}

/**
 * The block of an unsharded directory: the same bytes as `encode(prepare(node))` of @ipld/dag-pb, which takes five
 * times as long.
 *
 * @param data - the UnixFS message
 */
export function encodeDirectory (
  links: readonly EncodedLink[],
  data: Uint8Array,
  fieldOrder: FieldOrder = 'links-first'
): Uint8Array {
  const head: number[] = []
  pushFieldHead(head, NODE.data, data.byteLength)
  const dataLength = head.length + data.byteLength
  const linksLength = links.reduce((sum, { length }) => sum + length, 0)
  const block = new Uint8Array(linksLength + dataLength)
  const [linksAt, dataAt] = fieldOrder === 'links-first' ? [0, linksLength] : [dataLength, 0]

  block.set(head, dataAt)
  block.set(data, dataAt + head.length)
  writeLinks(block, linksAt, links.toSorted((a, b) => compareBytes(a.name, b.name)))

  return block
}

function writeLinks (block: Uint8Array, start: number, links: readonly EncodedLink[]): void {
  const numbers: number[] = []
  let at = start

  const write = (bytes: ArrayLike<number>): void => {
    block.set(bytes, at)
    at += bytes.length
  }

  for (const { name, cid, size } of links) {
    pushFieldHead(numbers, NODE.link, contentLength(cid, name, size))
    pushFieldHead(numbers, LINK.hash, cid.byteLength)
    write(numbers.splice(0))
    write(cid)
    pushFieldHead(numbers, LINK.name, name.byteLength)
    write(numbers.splice(0))
    write(name)
    pushVarintField(numbers, LINK.tsize, size)
  }

  write(numbers)
}

function contentLength (cid: Uint8Array, name: Uint8Array, size: number): number {
  return fieldLength(cid.byteLength) + fieldLength(name.byteLength) + 1 + varintLength(size)
}

function fieldLength (length: number): number {
  return 1 + varintLength(length) + length
}

function compareBytes (a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.byteLength, b.byteLength)

  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) {
      return a[i] - b[i]
    }
  }

  return a.byteLength - b.byteLength
}
