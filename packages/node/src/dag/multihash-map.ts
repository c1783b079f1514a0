import { createHash, randomFillSync } from 'node:crypto'

/** Words of four bytes in a chunk of records, 64 KiB. Chunks are never copied. */
const CHUNK_WORDS = 16_384
/** The hash table has many parts, which grow one at a time: so only one part is ever in memory twice. */
const PARTS = 256
const FIRST_SLOTS = 16
/** A part grows when more of its slots than this are used. */
const MAX_LOAD = 2 / 3
/** The longest multihash that is stored as it is, in bytes. Of a longer one the SHA-256 is stored. */
const MAX_LENGTH = 255
/** A record's position is a number of 32 bits. */
const MAX_CHUNKS = 2 ** 32 / CHUNK_WORDS

/** The key to look up: its length (0 stands for a SHA-256), its bytes, and zeros up to a whole word. */
const key = new Uint32Array((1 + MAX_LENGTH) / 4)
const keyBytes = new Uint8Array(key.buffer)

/**
 * Random factors for the hash that chooses a key's slot: multilinear hashing, 16 bits at a time
 * (arxiv.org/abs/1202.4961). An attacker who does not know them cannot make many keys with the same hash. The digests
 * themselves would not do: a hostile node can link to made-up digests.
 */
const factors = randomFillSync(new Uint32Array(key.length * 4))

interface Chunk {
  words: Uint32Array
  bytes: Uint8Array
}

/** A part of the hash table: the positions of records, 0 in a free slot. */
interface Part {
  slots: Uint32Array
  used: number
}

/**
 * A map from multihashes to whole numbers from 0 to 2^32 - 1, for hundreds of millions of entries. A JavaScript Map
 * holds at most 16.7 million, and takes twice the memory. With digests of 32 bytes an entry takes a record of 40 bytes
 * and 6 to 12 bytes of a hash table with open addressing.
 */
export class MultihashMap {
  readonly #chunks: Chunk[] = []
  readonly #parts: Part[] = Array.from({ length: PARTS }, () => ({ slots: new Uint32Array(0), used: 0 }))
  /** How many words of the last chunk are used. */
  #usedWords = CHUNK_WORDS
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

  /** @throws {RangeError} the records fill 16 GiB */
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

  /** The slot that holds the key, or the free slot where it belongs. */
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

  /** Append the key as a record, and return the record's position. */
  #append (words: number): number {
    if (this.#usedWords + 1 + words > CHUNK_WORDS) {
      if (this.#chunks.length === MAX_CHUNKS) {
        throw new RangeError(
          `the DAG exceeds the limit of ${this.#size} blocks: their hashes would need more than 16 GiB of memory`
        )
      }

      const chunk = new Uint32Array(CHUNK_WORDS)
      this.#chunks.push({ words: chunk, bytes: new Uint8Array(chunk.buffer) })
      // position 0 is left out: it stands for a free slot
      this.#usedWords = this.#chunks.length === 1 ? 1 : 0
    }

    const at = this.#usedWords
    const last = this.#chunks.length - 1
    this.#chunks[last].words.set(key.subarray(0, words), at + 1)
    this.#usedWords += 1 + words

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

/** Write a multihash into `key`, and return its length in words. */
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

/** The length in words of a key whose first byte is `length`. */
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

  // only the upper half of each sum is well mixed
  return ((high & 0xffff0000) | (low >>> 16)) >>> 0
}
