// Above 250 lines: the rules of one pass over the bytes, in the order in which the decoder checks them.
import { LINK_TAG, MAJOR, readHead } from './cbor-items.ts'
import { isAscii } from './cbor-text.ts'
import { STEP_SIZE } from './steps.ts'
import { checkUnique } from './unique-keys.ts'
import type { Head } from './cbor-items.ts'
import type { Steps } from './steps.ts'

/** A list or map that is open, or the document itself. */
interface Open {
  /** Items that are still to come. A map has two for each entry. */
  left: number
  isMap: boolean
  /** How many keys of the maps around it come before its own. */
  firstKey: number
  /** Whether its keys are text of ASCII, each behind the one before, as they should be: then none occurs twice. */
  isOrdered: boolean
}

/** Deeper documents are refused: few decoders support them. */
const MAX_DEPTH = 10_000

/** The version of CIDs that have none, and the bytes that they begin with. */
const CID_V0_START = 0x12

/** Maximum number of bytes of a varint, as in multiformats. */
const MAX_VARINT = 8

/**
 * Check that a block is one item of DAG-CBOR, by the rules of `decode` of `@ipld/dag-cbor`. Nothing is built: what two
 * million bytes decode to may take a hundred times as many. All of it is checked, also what is beside a path: an item
 * begins where the one before it ends.
 *
 * @throws {Error} it is not DAG-CBOR
 */
export function * checkCbor (block: Uint8Array): Steps<void> {
  const head: Head = { major: 0, info: 0, argument: 0, end: 0 }
  const stack: Open[] = []
  /** Where the keys of all open maps begin. */
  const keys: number[] = []
  let open: Open = { left: 1, isMap: false, firstKey: 0, isOrdered: true }
  let at = 0
  let next = STEP_SIZE

  for (;;) {
    if (at >= next) {
      yield
      next = at + STEP_SIZE
    }

    while (open.left === 0) {
      if (!open.isOrdered) {
        yield * checkUnique(block, keys.slice(open.firstKey), head)
      }

      keys.length = open.firstKey
      const above = stack.pop()

      if (above == null) {
        if (at < block.byteLength) {
          throw new Error('more bytes follow it')
        }

        return
      }

      open = above
    }

    open.left--
    readHead(block, at, head)

    if (open.isMap && open.left % 2 === 1) {
      addKey(block, at, head, open, keys)
    }

    at = checkItem(block, head)

    if (head.argument > 0 && (head.major === MAJOR.list || head.major === MAJOR.map)) {
      const isMap = head.major === MAJOR.map
      if (stack.push(open) > MAX_DEPTH) {
        throw new Error(`its lists and maps are more than ${MAX_DEPTH} deep`)
      }

      open = { left: head.argument * (isMap ? 2 : 1), isMap, firstKey: keys.length, isOrdered: true }
    }
  }
}

/** Check an item without those in it, and return where the next one begins. */
function checkItem (block: Uint8Array, head: Head): number {
  const { major, info, argument, end } = head

  switch (major) {
    case MAJOR.uint:
    case MAJOR.negint:
      return end
    case MAJOR.bytes:
    case MAJOR.text:
      if (argument > block.byteLength - end) {
        throw new Error('it ends too soon')
      }

      return end + argument
    case MAJOR.tag:
      return checkLink(block, head)
    case MAJOR.simple:
      checkSimple(block, info, end)

      return end
    default:
      if (argument > Number.MAX_SAFE_INTEGER) {
        throw new Error('it has a list or map that is too long')
      }

      return end
  }
}

/** False, true, null and undefined are allowed, and floats that are numbers. */
function checkSimple (block: Uint8Array, info: number, end: number): void {
  const start = end - (info === 25 ? 2 : info === 26 ? 4 : 8)
  const exponent = info === 25 ? 0x7c : info === 26 ? 0x7f80 : 0x7ff0
  const isFloat = info >= 25
  const bits = info === 25 ? block[start] : block[start] << 8 | block[start + 1]

  if (isFloat ? (bits & exponent) === exponent : info < 20 || info > 23) {
    throw new Error('it has a value that is not allowed')
  }
}

/** @returns where the item behind the link begins */
function checkLink (block: Uint8Array, head: Head): number {
  const { argument: tag, end: content } = head

  if (tag !== LINK_TAG) {
    throw new Error(`it has the tag ${tag}`)
  }

  readHead(block, content, head)
  const { major, argument, end: start } = head
  const end = start + argument

  if (major !== MAJOR.bytes || end > block.byteLength || argument === 0 || block[start] !== 0) {
    throw new Error('it has a link without the prefix 0x00')
  }

  checkCid(block, start + 1, end)
  // what is in it is not an item
  head.major = MAJOR.tag

  return end
}

/** Check bytes by the rules of `CID.decode`. */
function checkCid (block: Uint8Array, start: number, end: number): void {
  let at = start

  const next = (): number => {
    let value = 0

    for (let i = 0; i < MAX_VARINT && at < end; i++) {
      const byte = block[at++]
      value += (byte & 0x7f) * 2 ** (7 * i)

      if (byte < 0x80) {
        return value
      }
    }

    throw new Error('it has a link that is not a CID')
  }

  const version = next()

  if (version === CID_V0_START) {
    at = start
  } else {
    next()
  }

  next()
  const length = next()

  if ((version > 1 && version !== CID_V0_START) || at + length !== end) {
    throw new Error('it has a link that is not a CID')
  }
}

function addKey (block: Uint8Array, at: number, head: Head, open: Open, keys: number[]): void {
  const { major, argument, end } = head

  if (major !== MAJOR.text) {
    throw new Error('it has a key that is not text')
  }

  if (argument > block.byteLength - end) {
    throw new Error('it ends too soon')
  }

  if (open.isOrdered) {
    open.isOrdered = isAscii(block, end, end + argument) &&
      (keys.length === open.firstKey || isBefore(block, keys[keys.length - 1], end, argument, { ...head }))
  }

  keys.push(at)
}

/** Whether a key comes before the one of which only the text is given: shorter ones do. */
function isBefore (block: Uint8Array, key: number, start: number, length: number, head: Head): boolean {
  readHead(block, key, head)

  if (head.argument !== length) {
    return head.argument < length
  }

  for (let i = 0; i < length; i++) {
    const difference = block[head.end + i] - block[start + i]

    if (difference !== 0) {
      return difference < 0
    }
  }

  return false
}
