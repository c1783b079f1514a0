// Room: paths through DAG-CBOR and DAG-JSON, without decoding the documents.

/** CBOR's major types (RFC 8949, section 3.1). */
export const MAJOR: Readonly<Record<'uint' | 'negint' | 'bytes' | 'text' | 'list' | 'map' | 'tag' | 'simple', number>> =
  { uint: 0, negint: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6, simple: 7 }

/** The tag of a link (ipld.io/specs/codecs/dag-cbor/spec/#links). */
export const LINK_TAG = 42

/** The head of an item: its type, its number, and where what follows begins. */
export interface Head {
  major: number
  /** Five bits that say how long the argument is. */
  info: number
  argument: number
  end: number
}

/**
 * Read the head of the item at a position into `head`, which is used again: a block may have two million items.
 *
 * @throws {Error} it is no item of DAG-CBOR, or the block ends
 */
export function readHead (block: Uint8Array, at: number, head: Head): void {
  const byte = block[at]

  if (at >= block.byteLength) {
    throw new Error('it ends too soon')
  }

  head.major = byte >> 5
  head.info = byte & 0x1f
  head.argument = head.info
  head.end = at + 1

  if (head.info >= 24) {
    readArgument(block, head)
  }
}

function readArgument (block: Uint8Array, head: Head): void {
  const { info, major } = head

  if (info > 27) {
    throw new Error('it has an item of indefinite length, or of a reserved type')
  }

  const length = 1 << (info - 24)

  if (head.end + length > block.byteLength) {
    throw new Error('it ends too soon')
  }

  let argument = 0

  for (let i = 0; i < length; i++) {
    argument = argument * 256 + block[head.end++]
  }

  // a number must be as short as it can be. That of a float is no number
  const least = info === 24 ? 24 : 2 ** (length * 4)

  if (major !== MAJOR.simple && argument < least) {
    throw new Error('it has a number in more bytes than necessary')
  }

  head.argument = argument
}

/** The position behind an item, of a block that was checked. */
export function skipItem (block: Uint8Array, at: number, head: Head): number {
  let position = at

  for (let left = 1; left > 0; left--) {
    readHead(block, position, head)
    position = head.end

    switch (head.major) {
      case MAJOR.bytes:
      case MAJOR.text:
        position += head.argument
        break
      case MAJOR.list:
        left += head.argument
        break
      case MAJOR.map:
        left += head.argument * 2
        break
      case MAJOR.tag:
        left++
        break
      default:
    }
  }

  return position
}
