import { CID } from 'multiformats/cid'
import { MAJOR, readHead, skipItem } from './cbor-items.ts'
import { textAt } from './cbor-text.ts'
import { checkCbor } from './check-cbor.ts'
import { STEP_SIZE } from './steps.ts'
import type { Head } from './cbor-items.ts'
import type { PathEnd } from './path-end.ts'
import type { Steps } from './steps.ts'

/**
 * Follow names through the maps and lists of a DAG-CBOR block, up to the first link. Nothing else is decoded.
 *
 * @throws {Error} the block is not DAG-CBOR
 */
export function * followCbor (block: Uint8Array, names: readonly string[]): Steps<PathEnd> {
  yield * checkCbor(block)

  const head: Head = { major: 0, info: 0, argument: 0, end: 0 }
  let at = 0

  for (let used = 0; ; used++) {
    readHead(block, at, head)

    if (head.major === MAJOR.tag) {
      readHead(block, head.end, head)

      return { cid: CID.decode(block.slice(head.end + 1, head.end + head.argument)), used }
    }

    if (used === names.length) {
      return 'value'
    }

    const find = head.major === MAJOR.list ? findElement : findEntry
    const found = yield * find(block, head, names[used])

    if (found == null) {
      return { missing: names[used] }
    }

    at = found
  }
}

function * findElement (block: Uint8Array, head: Head, name: string): Steps<number | undefined> {
  const index = Number(name)

  if (!/^(0|[1-9]\d{0,9})$/.test(name) || index >= head.argument) {
    return undefined
  }

  let at = head.end
  let next = at + STEP_SIZE

  for (let i = 0; i < index; i++) {
    if (at >= next) {
      yield
      next = at + STEP_SIZE
    }

    at = skipItem(block, at, head)
  }

  return at
}

/** Where the value of a key is. Undefined: the item is not a map, or lacks the key. */
function * findEntry (block: Uint8Array, head: Head, name: string): Steps<number | undefined> {
  if (head.major !== MAJOR.map) {
    return undefined
  }

  const entries = head.argument
  // of the same text there may be other bytes, if it has characters that UTF-8 does not have
  const length = /^[\0-\x7f]*$/.test(name) ? name.length : undefined // eslint-disable-line no-control-regex
  let at = head.end
  let next = at + STEP_SIZE

  for (let i = 0; i < entries; i++) {
    if (at >= next) {
      yield
      next = at + STEP_SIZE
    }

    readHead(block, at, head)
    const value = head.end + head.argument

    // a byte order mark is no part of the text
    if ((length == null || head.argument === length || block[head.end] === 0xef) && textAt(block, at, head) === name) {
      return value
    }

    at = skipItem(block, value, head)
  }

  return undefined
}
