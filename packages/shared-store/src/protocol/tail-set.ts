import { randomFillSync } from 'node:crypto'

/** Bytes of a multihash that stand for it: the last ones, as all multihashes begin alike. */
export const TAIL_BYTES = 8

/** The table has many parts, which grow one at a time: so only one part is ever in memory twice. */
const PARTS = 256
const FIRST_SLOTS = 16
/** A part grows when more of its slots than this are used. */
const MAX_LOAD = 0.8
const GROWTH = 1.25

/** Odd random factors, so that nobody can make multihashes that all belong in the same slot. */
const [factorA, factorB, factorC] = randomFillSync(new Uint32Array(3)).map(factor => factor | 1)

interface Part {
  /** Two words for each slot. A slot of zeros is free. */
  words: Uint32Array
  used: number
}

/** The last 8 bytes of a multihash. A shorter one is filled up with zeros. */
export function tailOf (multihash: Uint8Array): Uint8Array {
  const tail = new Uint8Array(TAIL_BYTES)
  const end = multihash.subarray(-TAIL_BYTES)
  tail.set(end, TAIL_BYTES - end.byteLength)

  return tail
}

/**
 * A set of the last 8 bytes of multihashes, for tens of millions of them: 10 to 12.5 bytes each, so that 10^7 take at
 * most 125 MB. Two multihashes with the same tail are one here, so whoever asks must make do with "perhaps".
 */
export class TailSet {
  readonly #parts: Part[] = Array.from({ length: PARTS }, () => ({ words: new Uint32Array(0), used: 0 }))
  #hasZero = false
  #size = 0

  get size (): number {
    return this.#size
  }

  /** Bytes of the table. */
  get byteLength (): number {
    return this.#parts.reduce((total, { words }) => total + words.byteLength, 0)
  }

  /** @param tail - 8 bytes */
  has (tail: Uint8Array): boolean {
    const [high, low] = wordsOf(tail)

    if (high === 0 && low === 0) {
      return this.#hasZero
    }

    const hash = hashOf(high, low)
    const { words } = this.#parts[hash & PARTS - 1]
    const at = words.length === 0 ? 0 : find(words, hash, high, low)

    return words.length > 0 && words[at] === high && words[at + 1] === low
  }

  /** @param tail - 8 bytes */
  add (tail: Uint8Array): void {
    const [high, low] = wordsOf(tail)

    if (high === 0 && low === 0) {
      this.#size += this.#hasZero ? 0 : 1
      this.#hasZero = true
      return
    }

    const hash = hashOf(high, low)
    const part = this.#parts[hash & PARTS - 1]

    if (part.used >= part.words.length / 2 * MAX_LOAD) {
      grow(part)
    }

    const at = find(part.words, hash, high, low)

    if (part.words[at] === 0 && part.words[at + 1] === 0) {
      part.words[at] = high
      part.words[at + 1] = low
      part.used++
      this.#size++
    }
  }
}

function wordsOf (tail: Uint8Array): [high: number, low: number] {
  const view = new DataView(tail.buffer, tail.byteOffset, TAIL_BYTES)

  return [view.getUint32(0), view.getUint32(4)]
}

function hashOf (high: number, low: number): number {
  let hash = Math.imul(high, factorA) ^ Math.imul(low, factorB)
  hash = Math.imul(hash ^ hash >>> 15, factorC)

  return (hash ^ hash >>> 16) >>> 0
}

/** The position of the words in the table, or of the free slot where they belong. */
function find (words: Uint32Array, hash: number, high: number, low: number): number {
  const slots = words.length / 2
  let slot = Math.floor(hash / 2 ** 32 * slots)

  while (
    (words[slot * 2] !== high || words[slot * 2 + 1] !== low) && (words[slot * 2] !== 0 || words[slot * 2 + 1] !== 0)
  ) {
    slot = slot + 1 === slots ? 0 : slot + 1
  }

  return slot * 2
}

function grow (part: Part): void {
  const { words: old } = part
  const slots = Math.max(FIRST_SLOTS, Math.ceil(old.length / 2 * GROWTH))
  part.words = new Uint32Array(slots * 2)

  for (let at = 0; at < old.length; at += 2) {
    const [high, low] = [old[at], old[at + 1]]

    if (high !== 0 || low !== 0) {
      const to = find(part.words, hashOf(high, low), high, low)
      part.words[to] = high
      part.words[to + 1] = low
    }
  }
}
