import { quoteName } from '@ipfsz/utils/quote-name'
import { parseLink } from './link-text.ts'
import type { PathEnd } from './path-end.ts'
import type { CID } from 'multiformats/cid'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** Brackets that open and close lists and maps. */
const LIST = [0x5b, 0x5d] as const
const MAP = [0x7b, 0x7d] as const

const decoder = new TextDecoder()

/**
 * Follow names through the maps and lists of a DAG-JSON block, up to the first link. Nothing else is decoded: of the
 * values on other paths only strings and brackets are looked at.
 *
 * @throws {Error} the block is not DAG-JSON, as far as the path leads through it
 */
export function followJson (block: Uint8Array, names: readonly string[]): PathEnd {
  let at = skipSpace(block, 0)
  // whether anything follows the value is known at its end
  const end = skipSpace(block, skipValue(block, at))

  if (end < block.byteLength) {
    throw new Error('more bytes follow it')
  }

  for (let used = 0; ; used++) {
    const link = linkAt(block, at)

    if (link != null) {
      return { cid: link, used }
    }

    if (used === names.length) {
      return 'value'
    }

    const found = isBytes(block, at) ? undefined : findValue(block, at, names[used])

    if (found == null) {
      return { missing: names[used] }
    }

    at = found
  }
}

function findValue (block: Uint8Array, at: number, name: string): number | undefined {
  if (block[at] === LIST[0]) {
    return /^(0|[1-9]\d{0,9})$/.test(name) ? nth(elements(block, at), Number(name)) : undefined
  }

  let found: number | undefined

  for (const { key, value } of entries(block, at)) {
    if (stringIs(block, key, name)) {
      if (found != null) {
        throw new Error(`it has the key ${quoteName(name)} twice`)
      }

      found = value
    }
  }

  return found
}

function nth (positions: Iterable<number>, index: number): number | undefined {
  let i = 0

  for (const position of positions) {
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

/** The position behind a value. */
function skipValue (block: Uint8Array, start: number): number {
  if (block[start] === QUOTE) {
    return skipString(block, start)
  }

  let at = start
  let depth = 0

  if (start >= block.byteLength) {
    throw new Error('it ends too soon')
  }

  do {
    const byte = block[at]

    if (byte === QUOTE) {
      at = skipString(block, at)
      continue
    }

    if (byte === LIST[0] || byte === MAP[0]) {
      depth++
    } else if (byte === LIST[1] || byte === MAP[1]) {
      depth--
    }

    at++
  } while (at < block.byteLength && (depth > 0 || !isEnd(block[at])) && !(depth === 0 && isClosed(block[at - 1])))

  if (depth !== 0) {
    throw new Error('it ends too soon')
  }

  return at
}

function isClosed (byte: number): boolean {
  return byte === LIST[1] || byte === MAP[1]
}

/** Whether a number or word ends before a byte. */
function isEnd (byte: number): boolean {
  return byte === COMMA || isClosed(byte) || isSpace(byte)
}

function isSpace (byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

function skipSpace (block: Uint8Array, start: number): number {
  let at = start

  while (isSpace(block[at])) {
    at++
  }

  return at
}

/** The position behind a string. */
function skipString (block: Uint8Array, start: number): number {
  if (block[start] !== QUOTE) {
    throw new Error(`it has no string at byte ${start}`)
  }

  for (let at = start + 1; at < block.byteLength; at++) {
    if (block[at] === BACKSLASH) {
      at++
    } else if (block[at] === QUOTE) {
      return at + 1
    }
  }

  throw new Error('it ends within a string')
}

function stringAt (block: Uint8Array, at: number): string {
  return JSON.parse(decoder.decode(block.subarray(at, skipString(block, at)))) as string
}

/** Whether a string is a name. One with more than six bytes for each character is not. */
function stringIs (block: Uint8Array, at: number, name: string): boolean {
  const length = skipString(block, at) - at - 2

  return length >= name.length && length <= 6 * name.length && stringAt(block, at) === name
}
