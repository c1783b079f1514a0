import { createHash, getRandomValues } from 'node:crypto'

/** Records lie in chunks of so many words of four bytes, 64 KiB, none of which is ever copied. */
const CHUNK_WORDS = 16_384
/** The table that finds them is grown a part at a time, so that not all of it is there twice then. */
const PARTS = 256
const FIRST_SLOTS = 16
/** How full a part is before it is grown. */
const MAX_LOAD = 2 / 3
/** The most bytes of a multihash that is kept as it is. One of a longer digest is kept by its own SHA-256. */
const MAX_LENGTH = 255
/** Records are found by 32 bits. */
const MAX_CHUNKS = 2 ** 32 / CHUNK_WORDS

/** The key that is looked for: its length, or 0 for a SHA-256, then its bytes, then zeros. */
const key = new Uint32Array((1 + MAX_LENGTH) / 4)
const keyBytes = new Uint8Array(key.buffer)

/**
 * For the hash of a key, by which slots are chosen: whoever does not know these numbers
 * cannot make keys of which many have one hash (multilinear hashing of 16 bits at a time,
 * arxiv.org/abs/1202.4961). Digests themselves are no such hash: what a stranger's node
 * links to need not exist.
 */
const factors = getRandomValues(new Uint32Array(key.length * 4))

interface Chunk {
  words: Uint32Array
  bytes: Uint8Array
}

/** Where records begin, 0 where a slot is free. */
interface Part {
  slots: Uint32Array
  used: number
}

/**
 * A whole number from 0 to 2^32 - 1 for each multihash, of many millions: a Map holds
 * 16.7 million at most, and takes twice the memory for each. With digests of 32 bytes an
 * entry is a record of 40 bytes, and 6 to 12 of a table with open addressing.
 */
export class MultihashMap {
  readonly #chunks: Chunk[] = []
  readonly #parts: Part[] = Array.from({ length: PARTS }, () => ({ slots: new Uint32Array(0), used: 0 }))
  /** How many words of the last chunk are taken. */
  #taken = CHUNK_WORDS
  #size = 0

  get size (): number {
    return this.#size
  }

  get (multihash: Uint8Array): number | undefined {
    const words = toKey(multihash)
    const hash = hashOf(key, 0, words)
    const { slots } = this.#partOf(hash)
    const record = slots.length === 0 ? 0 : slots[this.#find(slots, hash, words)]

    return record === 0 ? undefined : this.#chunkOf(record).words[record % CHUNK_WORDS]
  }

  /** @throws {RangeError} there are 16 GiB of them */
  set (multihash: Uint8Array, value: number): void {
    const words = toKey(multihash)
    const hash = hashOf(key, 0, words)
    const part = this.#partOf(hash)

    if (part.used >= part.slots.length * MAX_LOAD) {
      this.#grow(part)
    }

    const slot = this.#find(part.slots, hash, words)

    if (part.slots[slot] === 0) {
      part.slots[slot] = this.#append(words)
      part.used++
      this.#size++
    }

    const record = part.slots[slot]
    this.#chunkOf(record).words[record % CHUNK_WORDS] = value
  }

  #partOf (hash: number): Part {
    return this.#parts[hash >>> 24]
  }

  #chunkOf (record: number): Chunk {
    return this.#chunks[Math.floor(record / CHUNK_WORDS)]
  }

  /** The slot of the key, or the free one where it belongs. */
  #find (slots: Uint32Array, hash: number, words: number): number {
    const mask = slots.length - 1
    let slot = hash & mask

    while (slots[slot] !== 0 && !this.#isKey(slots[slot], words)) {
      slot = (slot + 1) & mask
    }

    return slot
  }

  #isKey (record: number, words: number): boolean {
    const at = record % CHUNK_WORDS + 1
    const { words: others } = this.#chunkOf(record)

    for (let i = 0; i < words; i++) {
      if (others[at + i] !== key[i]) {
        return false
      }
    }

    return true
  }

  /** Keep the key, and say where. */
  #append (words: number): number {
    if (this.#taken + 1 + words > CHUNK_WORDS) {
      if (this.#chunks.length === MAX_CHUNKS) {
        throw new RangeError('there are more blocks than can be remembered')
      }

      const chunk = new Uint32Array(CHUNK_WORDS)
      this.#chunks.push({ words: chunk, bytes: new Uint8Array(chunk.buffer) })
      // no record is number 0
      this.#taken = this.#chunks.length === 1 ? 1 : 0
    }

    const at = this.#taken
    const last = this.#chunks.length - 1
    this.#chunks[last].words.set(key.subarray(0, words), at + 1)
    this.#taken += 1 + words

    return last * CHUNK_WORDS + at
  }

  #grow (part: Part): void {
    const slots = new Uint32Array(Math.max(FIRST_SLOTS, part.slots.length * 2))
    const mask = slots.length - 1

    for (const record of part.slots) {
      if (record !== 0) {
        const { words, bytes } = this.#chunkOf(record)
        const at = record % CHUNK_WORDS + 1
        let slot = hashOf(words, at, wordsOf(bytes[at * 4])) & mask

        while (slots[slot] !== 0) {
          slot = (slot + 1) & mask
        }

        slots[slot] = record
      }
    }

    part.slots = slots
  }
}

/** Make a multihash the key, and say how many words it has. */
function toKey (multihash: Uint8Array): number {
  const isLong = multihash.byteLength > MAX_LENGTH
  const bytes = isLong ? createHash('sha256').update(multihash).digest() : multihash
  const length = isLong ? 0 : bytes.byteLength
  const words = wordsOf(length)

  key[words - 1] = 0
  keyBytes[0] = length
  keyBytes.set(bytes, 1)

  return words
}

/** How many words a key of that length has. */
function wordsOf (length: number): number {
  return Math.ceil((1 + (length === 0 ? 32 : length)) / 4)
}

function hashOf (words: Uint32Array, at: number, count: number): number {
  let high = 0
  let low = 0

  for (let i = 0; i < count; i++) {
    const word = words[at + i]
    high += Math.imul(factors[4 * i], word & 0xffff) + Math.imul(factors[4 * i + 1], word >>> 16)
    low += Math.imul(factors[4 * i + 2], word & 0xffff) + Math.imul(factors[4 * i + 3], word >>> 16)
  }

  // of each sum the upper half has no pattern
  return ((high & 0xffff0000) | (low >>> 16)) >>> 0
}
