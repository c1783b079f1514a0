import { readUint32 } from '../bytes/little-endian.ts'

const PRIME_1 = 0x9e3779b1
const PRIME_2 = 0x85ebca77
const PRIME_3 = 0xc2b2ae3d
const PRIME_4 = 0x27d4eb2f
const PRIME_5 = 0x165667b1

/** Bytes in one step: four for each of four lanes. */
const STRIPE = 16

/** Incremental XXH32 with the seed 0 (xxHash fast digest algorithm, 0.1.1). */
export class Xxh32 {
  readonly #rest = new Uint8Array(STRIPE)
  #filled = 0
  #length = 0
  #a = (PRIME_1 + PRIME_2) | 0
  #b = PRIME_2 | 0
  #c = 0
  #d = -PRIME_1 | 0

  update (bytes: Uint8Array): void {
    let position = 0
    this.#length += bytes.byteLength

    if (this.#filled > 0) {
      position = Math.min(STRIPE - this.#filled, bytes.byteLength)
      this.#rest.set(bytes.subarray(0, position), this.#filled)
      this.#filled += position

      if (this.#filled < STRIPE) {
        return
      }

      this.#stripes(this.#rest, 0, STRIPE)
    }

    const end = bytes.byteLength - (bytes.byteLength - position) % STRIPE
    this.#stripes(bytes, position, end)
    this.#rest.set(bytes.subarray(end))
    this.#filled = bytes.byteLength - end
  }

  digest (): number {
    let hash = this.#length >= STRIPE
      ? rotate(this.#a, 1) + rotate(this.#b, 7) + rotate(this.#c, 12) + rotate(this.#d, 18)
      : PRIME_5
    let position = 0

    hash = hash + this.#length | 0

    for (; position + 4 <= this.#filled; position += 4) {
      hash = Math.imul(rotate(hash + Math.imul(readUint32(this.#rest, position), PRIME_3) | 0, 17), PRIME_4)
    }

    for (; position < this.#filled; position++) {
      hash = Math.imul(rotate(hash + Math.imul(this.#rest[position], PRIME_5) | 0, 11), PRIME_1)
    }

    hash = Math.imul(hash ^ hash >>> 15, PRIME_2)
    hash = Math.imul(hash ^ hash >>> 13, PRIME_3)

    return (hash ^ hash >>> 16) >>> 0
  }

  #stripes (bytes: Uint8Array, position: number, end: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let a = this.#a
    let b = this.#b
    let c = this.#c
    let d = this.#d

    for (; position < end; position += STRIPE) {
      a = round(a, view.getInt32(position, true))
      b = round(b, view.getInt32(position + 4, true))
      c = round(c, view.getInt32(position + 8, true))
      d = round(d, view.getInt32(position + 12, true))
    }

    this.#a = a
    this.#b = b
    this.#c = c
    this.#d = d
  }
}

function round (lane: number, value: number): number {
  return Math.imul(rotate(lane + Math.imul(value, PRIME_2) | 0, 13), PRIME_1)
}

function rotate (value: number, bits: number): number {
  return value << bits | value >>> 32 - bits
}

/** XXH32 with the seed 0. */
export function xxh32 (bytes: Uint8Array): number {
  const hash = new Xxh32()
  hash.update(bytes)

  return hash.digest()
}
