export const QUOTE = 0x22
export const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Brackets that open and close lists and maps. */
export const LIST = [0x5b, 0x5d] as const
export const MAP = [0x7b, 0x7d] as const

/** Of each byte within a value: whether it opens or closes something, or begins a string. */
const QUOTED = 2
const KINDS = new Int8Array(256)
KINDS[QUOTE] = QUOTED
KINDS[LIST[0]] = KINDS[MAP[0]] = 1
KINDS[LIST[1]] = KINDS[MAP[1]] = -1

const decoder = new TextDecoder()

/** The position behind a value. */
export function skipValue (block: Uint8Array, start: number): number {
  if (block[start] === QUOTE) {
    return skipString(block, start)
  }

  let at = start
  let depth = 0

  if (start >= block.byteLength) {
    throw new Error('it ends too soon')
  }

  // of two million bytes most are none of these
  for (; at === start || (at < block.byteLength && (depth > 0 || !isEnd(block[at]))); at++) {
    const kind = KINDS[block[at]]

    if (kind === 0) {
      continue
    }

    if (kind === QUOTED) {
      at = skipString(block, at) - 1
    } else {
      depth += kind

      if (depth === 0) {
        return at + 1
      }
    }
  }

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

export function skipSpace (block: Uint8Array, start: number): number {
  let at = start

  while (isSpace(block[at])) {
    at++
  }

  return at
}

/** The position behind a string. */
export function skipString (block: Uint8Array, start: number): number {
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

export function stringAt (block: Uint8Array, at: number): string {
  return JSON.parse(decoder.decode(block.subarray(at, skipString(block, at)))) as string
}

/** Whether a string is a name. One with more than six bytes for each character is not. */
export function stringIs (block: Uint8Array, at: number, name: string): boolean {
  const length = skipString(block, at) - at - 2

  // most are told apart by a character that is neither escaped nor longer than a byte
  for (let i = 0; i < length; i++) {
    const byte = block[at + 1 + i]

    if (byte < 0x20 || byte >= 0x80 || byte === BACKSLASH) {
      break
    }

    if (byte !== name.charCodeAt(i)) {
      return false
    }
  }

  return length >= name.length && length <= 6 * name.length && stringAt(block, at) === name
}
