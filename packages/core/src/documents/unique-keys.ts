import { quoteName } from '@ipfsz/utils/quote-name'
import { isAscii, textAt, textBytes } from './cbor-text.ts'
import { STEP_KEYS } from './steps.ts'
import type { Head } from './cbor-items.ts'
import type { Steps } from './steps.ts'

/** Multipliers of MurmurHash3's last step. */
const [MIX_1, MIX_2] = [0x85ebca6b, 0xc2b2ae35]
/** The multiplier of FNV-1a. */
const PRIME = 0x01000193

const encoder = new TextEncoder()

/**
 * Check that no two keys of a map are the same text. A set of 400,000 strings took a second, and 50 MB.
 *
 * @param keys - where they begin
 * @throws {Error} two are
 */
export function * checkUnique (block: Uint8Array, keys: readonly number[], head: Head): Steps<void> {
  // nobody can make keys of which many have the same place
  const seed = Math.floor(Math.random() * 2 ** 32)
  const bits = Math.ceil(Math.log2(keys.length * 2 + 1))
  /** Numbers of keys, from 1, each at the place of its hash or after it. */
  const places = new Uint32Array(2 ** bits)
  /** The bytes of keys whose text has others: what is not UTF-8 is replaced, and a byte order mark left out. */
  const replaced = new Map<number, Uint8Array>()
  let work = 0

  const bytesOf = (number: number): Uint8Array => replaced.get(number) ?? textBytes(block, keys[number - 1], head)

  for (let number = 1; number <= keys.length; number++) {
    let bytes = textBytes(block, keys[number - 1], head)

    if (!isAscii(bytes, 0, bytes.byteLength)) {
      const text = encoder.encode(textAt(block, keys[number - 1], head))

      if (!isSame(text, bytes)) {
        bytes = text
        replaced.set(number, text)
      }
    }

    let place = hashOf(bytes, seed) >>> (32 - bits)

    while (places[place] !== 0) {
      if (isSame(bytes, bytesOf(places[place]))) {
        throw new Error(`it has the key ${quoteName(textAt(block, keys[number - 1], head))} twice`)
      }

      place = (place + 1) % places.length
      work++
    }

    places[place] = number

    if (work++ >= STEP_KEYS) {
      yield
      work = 0
    }
  }
}

function hashOf (bytes: Uint8Array, seed: number): number {
  let hash = seed

  for (let i = 0; i < bytes.byteLength; i++) {
    hash = Math.imul(hash ^ bytes[i], PRIME)
  }

  hash = Math.imul(hash ^ hash >>> 16, MIX_1)
  hash = Math.imul(hash ^ hash >>> 13, MIX_2)

  return hash ^ hash >>> 16
}

function isSame (a: Uint8Array, b: Uint8Array): boolean {
  if (a.byteLength !== b.byteLength) {
    return false
  }

  for (let i = 0; i < a.byteLength; i++) {
    if (a[i] !== b[i]) {
      return false
    }
  }

  return true
}
