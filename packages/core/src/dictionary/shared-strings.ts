import { freeBytes } from '@ipfsz/utils/free-bytes'
import { GEAR, gearMask } from '../cut/gear.ts'

/** Bits by which a hash moves with each byte: a string is what has not left it. */
const SHIFT = 3
/** Bytes of a string, 11: shorter ones are cheap anyway, and longer ones miss matches. */
export const STRING_LENGTH = Math.ceil(32 / SHIFT)

/**
 * One string in 4 is counted, chosen by its content, or in 8 or 16 if the files have more than 2^20 or 2^21 bytes. With
 * one in 32, dictionaries of minified programs save 2 % less.
 */
const MIN_SPARSENESS = 2
const MAX_SPARSENESS = 4
const EXPECTED_LOG = 18

/** The bits of a slot's number. A slot takes 8 bytes: 8 MiB at most. */
const MAX_SLOT_BITS = 20
const MIN_SLOT_BITS = 12
/** One more file, in a slot, and the bits of the last one. */
const FILE = 2 ** 16
const LAST = FILE - 1
/** Marks a slot that holds the number of its string. */
const NUMBERED = -1

/** Maximum number of files. */
export const MAX_FILES = 2 ** 15 - 1

/** The strings that are in more than one of some files, each once for each file that has it. */
export class SharedStrings {
  /** How many bytes a string that is counted stands for. */
  readonly bytesEach: number
  /** How many strings there are. Equal ones have the same number, from 0 on, in the order in which they first occur. */
  readonly distinct: number
  /** Where each string begins, in all files one after the other. */
  readonly places: Uint32Array
  readonly numbers: Int32Array
  /** For each file the first of its strings, and one more than the last of all. */
  readonly firsts: Uint32Array
  /** How many strings each file has, with those that are in no other one. */
  readonly counts: Uint32Array
  /** Bytes of all files. */
  readonly length: number
  readonly #files: readonly Uint8Array[]
  /** Where each file begins, and where the last one ends. */
  readonly #starts: number[] = [0]

  /** @param files - at most `MAX_FILES` */
  constructor (files: readonly Uint8Array[]) {
    const length = files.reduce((total, { byteLength }) => total + byteLength, 0)
    const log = 32 - Math.clz32(length)
    const sparseness = Math.min(MAX_SPARSENESS, Math.max(MIN_SPARSENESS, log - EXPECTED_LOG))
    const bits = Math.min(MAX_SLOT_BITS, Math.max(MIN_SLOT_BITS, log - sparseness + 1))
    // for each slot, the hash of its string. After it, the number of the last file that has it, from 1 on, and in how
    // many more files than one it is, times 65,536: both in one line of the processor's cache
    const table = new Int32Array(2 ** (bits + 1))
    // twice as many as are expected. Only hostile content has more, and they do not count
    const places = new Uint32Array((length >>> sparseness - 1) + 1)
    const hashes = new Int32Array(places.length)
    const firsts = new Uint32Array(files.length + 1)
    const counts = new Uint32Array(files.length)
    let count = 0

    for (const [i, bytes] of files.entries()) {
      const from = count
      const end = hashStrings(bytes, this.#starts[i], sparseness, { places, hashes, count })
      this.#starts.push(this.#starts[i] + bytes.byteLength)

      for (let at = from; at < end; at++) {
        const hash = hashes[at]
        const slot = hash >>> 32 - bits << 1

        if (table[slot] === 0) {
          table[slot] = hash
        }

        // one whose slot another string has is dropped, and one that the file has already
        if (table[slot] === hash) {
          const state = table[slot + 1]

          if ((state & LAST) !== i + 1) {
            table[slot + 1] = state === 0 ? i + 1 : (state & ~LAST) + FILE | i + 1
            places[count] = places[at]
            hashes[count++] = slot
          }
        }
      }

      counts[i] = count - from
      firsts[i + 1] = count
    }

    let distinct = 0
    let kept = 0

    // those that are in one file only are dropped
    for (let i = 0; i < files.length; i++) {
      const [from, end] = [firsts[i], firsts[i + 1]]
      firsts[i] = kept

      for (let at = from; at < end; at++) {
        const slot = hashes[at]

        if (table[slot + 1] >= FILE) {
          table[slot] = distinct++
          table[slot + 1] = NUMBERED
        }

        if (table[slot + 1] === NUMBERED) {
          places[kept] = places[at]
          hashes[kept++] = table[slot]
        }
      }
    }

    firsts[files.length] = kept
    freeMemory(table)
    this.bytesEach = 2 ** sparseness
    this.distinct = distinct
    this.places = places.subarray(0, kept)
    this.numbers = hashes.subarray(0, kept)
    this.firsts = firsts
    this.counts = counts
    this.length = length
    this.#files = files
  }

  /** Free the memory. Then nothing else may be called. */
  close (): void {
    freeMemory(this.places)
    freeMemory(this.numbers)
  }

  /** Where a file begins in all of them. */
  startOf (file: number): number {
    return this.#starts[file]
  }

  /** Copy bytes of all files, from one place to another. */
  copy (start: number, end: number, target: Uint8Array): void {
    let file = lowerBound(this.#starts, start + 1) - 1

    for (let at = start; at < end; file++) {
      const part = this.#files[file].subarray(at - this.#starts[file], end - this.#starts[file])
      target.set(part, at - start)
      at += part.byteLength
    }
  }
}

/** As garbage, V8 would mark the whole heap for each of these arrays of megabytes. */
export function freeMemory ({ buffer }: { buffer: ArrayBufferLike }): void {
  freeBytes(new Uint8Array(buffer))
}

/** The first of ascending numbers that is not less than another one. */
export function lowerBound (numbers: ArrayLike<number>, least: number): number {
  let low = 0
  let high = numbers.length

  while (low < high) {
    const middle = (low + high) >> 1

    if (numbers[middle] < least) {
      low = middle + 1
    } else {
      high = middle
    }
  }

  return low
}

/**
 * Add the places and hashes of the strings of a file that are counted.
 *
 * @returns how many there are then
 */
function hashStrings (
  bytes: Uint8Array,
  start: number,
  sparseness: number,
  { places, hashes, count }: { places: Uint32Array, hashes: Int32Array, count: number }
): number {
  const table = GEAR
  const mask = gearMask(sparseness)
  const { byteLength } = bytes
  const last = places.length - 1
  let hash = 0
  let next = count

  for (let i = 0; i < Math.min(STRING_LENGTH - 1, byteLength); i++) {
    hash = (hash << SHIFT) + table[bytes[i]] | 0
  }

  for (let i = STRING_LENGTH - 1; i < byteLength; i++) {
    hash = (hash << SHIFT) + table[bytes[i]] | 0

    if ((hash & mask) === 0 && next < last) {
      places[next] = start + i - STRING_LENGTH + 1
      // the bits at the top choose the slot
      hashes[next++] = Math.imul(hash, 0x9e3779b1)
    }
  }

  return next
}
