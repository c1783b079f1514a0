import { COMMA, LIST, MAP, QUOTE, skipSpace, skipString, skipValue, stringAt, stringIs } from './json-text.ts'
import { quoteName } from '@ipfsz/utils/quote-name'
import { parseLink } from './link-text.ts'
import { STEP_SIZE } from './steps.ts'
import type { PathEnd } from './path-end.ts'
import type { Steps } from './steps.ts'
import type { CID } from 'multiformats/cid'

const COLON = 0x3a

/**
 * Follow names through the maps and lists of a DAG-JSON block, up to the first link. Nothing else is decoded: of the
 * values on other paths only strings and brackets are looked at. The bytes of the block match its hash, so what is
 * invalid beside the path was written so, and is not damage: it changes nothing about where the path leads.
 *
 * @throws {Error} the block is not DAG-JSON, as far as the path leads through it
 */
export function * followJson (block: Uint8Array, names: readonly string[]): Steps<PathEnd> {
  let at = skipSpace(block, 0)
  // whether anything follows the value is known at its end
  const end = skipSpace(block, skipValue(block, at))

  if (end < block.byteLength) {
    throw new Error('more bytes follow it')
  }

  for (let used = 0; ; used++) {
    // nested maps are each looked through
    yield
    const link = linkAt(block, at)

    if (link != null) {
      return { cid: link, used }
    }

    if (used === names.length) {
      return 'value'
    }

    const found = isBytes(block, at) ? undefined : yield * findValue(block, at, names[used])

    if (found == null) {
      return { missing: names[used] }
    }

    at = found
  }
}

function * findValue (block: Uint8Array, at: number, name: string): Steps<number | undefined> {
  if (block[at] === LIST[0]) {
    return /^(0|[1-9]\d{0,9})$/.test(name) ? yield * nth(elements(block, at), Number(name)) : undefined
  }

  let found: number | undefined
  let next = at + STEP_SIZE

  for (const { key, value } of entries(block, at)) {
    if (key >= next) {
      yield
      next = key + STEP_SIZE
    }

    if (stringIs(block, key, name)) {
      if (found != null) {
        throw new Error(`it has the key ${quoteName(name)} twice`)
      }

      found = value
    }
  }

  return found
}

function * nth (positions: Iterable<number>, index: number): Steps<number | undefined> {
  let i = 0
  let next = 0

  for (const position of positions) {
    if (position >= next) {
      yield
      next = position + STEP_SIZE
    }

    if (i++ === index) {
      return position
    }
  }

  return undefined
}

/** The link at a position: a map of one key, `/`, with a text. */
function linkAt (block: Uint8Array, at: number): CID | undefined {
  const value = onlyValue(block, at, '/')

  return value != null && block[value] === QUOTE ? parseLink(stringAt(block, value)) : undefined
}

/** Whether there are bytes at a position: a map of one key, `/`, with a map of one key, `bytes`, with a text. */
function isBytes (block: Uint8Array, at: number): boolean {
  const value = onlyValue(block, at, '/')
  const bytes = value == null ? undefined : onlyValue(block, value, 'bytes')

  return bytes != null && block[bytes] === QUOTE
}

/** Where the value of a map is that has one key. */
function onlyValue (block: Uint8Array, at: number, name: string): number | undefined {
  let only: number | undefined

  for (const { key, value } of entries(block, at)) {
    if (only != null || !stringIs(block, key, name)) {
      return undefined
    }

    only = value
  }

  return only
}

function * entries (block: Uint8Array, at: number): Generator<{ key: number, value: number }> {
  for (const key of block[at] === MAP[0] ? items(block, at, MAP[1]) : []) {
    const colon = skipSpace(block, skipString(block, key))

    if (block[colon] !== COLON) {
      throw new Error(`it has no colon at byte ${colon}`)
    }

    yield { key, value: skipSpace(block, colon + 1) }
  }
}

function elements (block: Uint8Array, at: number): Generator<number> {
  return items(block, at, LIST[1])
}

/** Where the elements of a list, or the keys of a map, begin. */
function * items (block: Uint8Array, open: number, close: number): Generator<number> {
  let at = skipSpace(block, open + 1)

  while (block[at] !== close) {
    yield at

    if (close === MAP[1]) {
      at = skipSpace(block, skipSpace(block, skipString(block, at)) + 1)
    }

    at = skipSpace(block, skipValue(block, at))

    if (block[at] === COMMA) {
      at = skipSpace(block, at + 1)
    } else if (block[at] !== close) {
      throw new Error(`it has neither a comma nor an end at byte ${at}`)
    }
  }
}
