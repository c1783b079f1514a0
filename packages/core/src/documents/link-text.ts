import { CID } from 'multiformats/cid'

/**
 * Maximum characters of a CID that is not in base32. To decode other bases takes quadratic time: 60,000 characters of
 * base58 took 16 seconds. One with a digest of 64 bytes has 95.
 */
const MAX_LENGTH = 128

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** The key of a link (ipld.io/specs/codecs/dag-json/spec/#links), as JSON may write it. */
const LINK_KEY = /^(?:\\?\/|\\u002[fF])$/

/** @throws {Error} it is not a CID, or is too long to be decoded */
export function parseLink (text: string): CID {
  if (isTooLong(text.length, text.charCodeAt(0))) {
    throw new Error(`a link has ${text.length} characters: only base32 links may have more than ${MAX_LENGTH}`)
  }

  return CID.parse(text)
}

/**
 * Refuse DAG-JSON with a link that would take too long to decode. The decoder has no such limit.
 *
 * @throws {Error}
 */
export function checkLinkTexts (block: Uint8Array): void {
  for (let at = block.indexOf(QUOTE); at !== -1; at = block.indexOf(QUOTE, at)) {
    const end = endOfText(block, at)
    const colon = skipSpace(block, end)
    const value = block[colon] === COLON ? skipSpace(block, colon + 1) : colon
    const isLink = block[value] === QUOTE && value > colon && isLinkKey(block.subarray(at + 1, end - 1))

    if (isLink && isTooLong(endOfText(block, value) - value - 2, block[value + 1])) {
      throw new Error(`a link has more than ${MAX_LENGTH} characters, and is not in base32`)
    }

    at = end
  }
}

function isTooLong (length: number, first: number): boolean {
  return length > MAX_LENGTH && first !== 'b'.charCodeAt(0)
}

function isLinkKey (key: Uint8Array): boolean {
  return key.byteLength <= 6 && LINK_KEY.test(String.fromCharCode(...key))
}

/** Where a text ends that begins with a quote: behind the next one, before which is no backslash. */
function endOfText (block: Uint8Array, start: number): number {
  let at = start + 1

  while (at < block.byteLength && block[at] !== QUOTE) {
    at += block[at] === BACKSLASH ? 2 : 1
  }

  return at + 1
}

function skipSpace (block: Uint8Array, from: number): number {
  let at = from

  while (block[at] === 0x20 || block[at] === 0x09 || block[at] === 0x0a || block[at] === 0x0d) {
    at++
  }

  return at
}
