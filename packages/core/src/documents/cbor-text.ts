import { readHead } from './cbor-items.ts'
import type { Head } from './cbor-items.ts'

const decoder = new TextDecoder()

/** A decoder takes longer for fewer characters than these. */
const SHORT_TEXT = 32

/** The text at a position. What is not UTF-8 is replaced, as `decode` does. */
export function textAt (block: Uint8Array, at: number, head: Head): string {
  readHead(block, at, head)

  const { end: start, argument: length } = head
  const end = start + length
  let text = ''

  if (length > SHORT_TEXT || !isAscii(block, start, end)) {
    return decoder.decode(block.subarray(start, end))
  }

  for (let i = start; i < end; i++) {
    text += String.fromCharCode(block[i])
  }

  return text
}

/** The bytes of the text at a position. */
export function textBytes (block: Uint8Array, at: number, head: Head): Uint8Array {
  readHead(block, at, head)

  return block.subarray(head.end, head.end + head.argument)
}

/** Whether bytes are ASCII: then only the same bytes are the same text. */
export function isAscii (block: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (block[i] >= 0x80) {
      return false
    }
  }

  return true
}
