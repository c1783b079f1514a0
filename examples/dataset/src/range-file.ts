/** Bytes of a chunk, 64 KiB: a frame of a file that was added with `--optimize ranges`. */
const CHUNK = 65_536

/** The most chunks that are asked for at a time, while they are read in order: 8 MiB. */
const MAX_AHEAD = 128

/** The most chunks that are kept: 64 MiB. */
const MAX_KEPT = 1024

/** The most places where a reader may go on in order: the tables and indexes of one query. */
const MAX_RUNS = 8

/** Bytes of a file, from `start` to before `end`. */
export type ReadRange = (start: number, end: number) => Uint8Array

/**
 * A file that is read synchronously, by ranges. SQLite reads a page of 4 KiB at a time: whole chunks are asked for, and
 * kept. As long as a reader goes on in order, each request is for twice as many.
 */
export class RangeFile {
  readonly size: number
  readonly #readRange: ReadRange
  /** By number. The one that was used last is last. */
  readonly #chunks = new Map<number, Uint8Array>()
  /** By the chunk that a reader in order needs next: how many it was last given at a time. */
  readonly #runs = new Map<number, number>()

  constructor (size: number, readRange: ReadRange) {
    this.size = size
    this.#readRange = readRange
  }

  /** Fill an array with the bytes at an offset. Returns how many there are. */
  read (into: Uint8Array, offset: number): number {
    const end = Math.min(offset + into.byteLength, this.size)

    for (let at = offset; at < end;) {
      const number = Math.floor(at / CHUNK)
      const part = this.#chunk(number).subarray(at - number * CHUNK, end - number * CHUNK)
      into.set(part, at - offset)
      at += part.byteLength
    }

    return Math.max(0, end - offset)
  }

  #chunk (number: number): Uint8Array {
    const chunk = this.#chunks.get(number) ?? this.#fetch(number)

    this.#chunks.delete(number)
    this.#chunks.set(number, chunk)

    return chunk
  }

  /** Fetch a chunk, and those after it that are probably read next. */
  #fetch (number: number): Uint8Array {
    const count = this.#count(number)
    const start = number * CHUNK
    const end = Math.min(start + count * CHUNK, this.size)
    const bytes = this.#readRange(start, end)

    if (bytes.byteLength !== end - start) {
      throw new Error(`${bytes.byteLength} bytes arrived instead of ${end - start}`)
    }

    for (let i = 0; i < count; i++) {
      this.#chunks.set(number + i, bytes.subarray(i * CHUNK, (i + 1) * CHUNK))
    }

    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= MAX_KEPT) {
        break
      }

      this.#chunks.delete(oldest)
    }

    return bytes.subarray(0, CHUNK)
  }

  /** How many chunks to ask for: one, or twice as many as before if a reader goes on in order. */
  #count (number: number): number {
    const wanted = Math.min(2 * (this.#runs.get(number) ?? 0.5), MAX_AHEAD)
    const last = Math.ceil(this.size / CHUNK)
    let count = 1

    while (count < wanted && number + count < last && !this.#chunks.has(number + count)) {
      count++
    }

    let next = number + count

    // an inner page of the same tree may be there already: the reader goes on behind it
    while (this.#chunks.has(next)) {
      next++
    }

    this.#runs.delete(number)
    this.#runs.set(next, wanted)

    if (this.#runs.size > MAX_RUNS) {
      const [oldest] = this.#runs.keys()
      this.#runs.delete(oldest as number)
    }

    return count
  }
}
