import { gearMask } from '../cut/gear.ts'
import type { StringsModule } from '@ipfsz/codecs/strings'

/** Bytes of a string: shorter ones are cheap anyway, and longer ones miss matches. */
export const STRING_LENGTH = 11

/**
 * One string in 4 is counted, chosen by its content, or in 8 or 16 if the files have more than 2^20 or 2^21 bytes. With
 * one in 32, dictionaries of minified programs save 2 % less. Of more than 2^23 bytes, one in 64 is enough: those
 * for 16 MiB of RFCs then take three quarters of the time of one in 32, and the RFCs 0.3 % more bytes.
 */
const MIN_SPARSENESS = 2
const MAX_SPARSENESS = 4
const MAX_LARGE_SPARSENESS = 6
const LARGE_LOG = 24
const EXPECTED_LOG = 18

/** The bits of a slot's number in the table of strings. A slot takes 12 bytes: 12 MiB at most. */
const MAX_SLOT_BITS = 20
const MIN_SLOT_BITS = 12

/** Maximum number of files. */
export const MAX_FILES = 2 ** 15 - 1

/** The strings that are in more than one of some files, each once for each file that has it. */
export class SharedStrings {
  readonly module: StringsModule
  /** How many bytes a string that is counted stands for. */
  readonly bytesEach: number
  /** How many strings there are. Equal ones have the same number, from 0 on, in the order in which they first occur. */
  readonly distinct: number
  /** Where each string begins, in all files one after the other. */
  readonly places: Int32Array
  readonly numbers: Int32Array
  /** For each file the first of its strings, and one more than the last of all. */
  readonly firsts: Int32Array
  /** How many strings each file has, with those that are in no other one. */
  readonly counts: Int32Array
  /** Bytes of all files. */
  readonly length: number
  readonly #files: readonly Uint8Array[]
  /** Where each file begins, and where the last one ends. */
  readonly #starts: number[] = [0]

  /**
   * @param files - at most `MAX_FILES`
   * @param module - has the strings until it gets those of other files
   * @throws {RangeError} there is not enough memory
   */
  constructor (files: readonly Uint8Array[], module: StringsModule) {
    for (const [i, { byteLength }] of files.entries()) {
      this.#starts.push(this.#starts[i] + byteLength)
    }

    const length = this.#starts[files.length]
    const log = 32 - Math.clz32(length)
    const max = log >= LARGE_LOG ? MAX_LARGE_SPARSENESS : MAX_SPARSENESS
    const sparseness = Math.min(max, Math.max(MIN_SPARSENESS, log - EXPECTED_LOG))
    const found = module.index(files, {
      mask: gearMask(sparseness),
      slotBits: Math.min(MAX_SLOT_BITS, Math.max(MIN_SLOT_BITS, log - sparseness + 1)),
      // twice as many as are expected. Only hostile content has more, and they do not count
      maxStrings: (length >>> sparseness - 1) + 1
    })

    if (found == null) {
      throw new RangeError(`Out of memory: cannot look for what ${length} bytes of files share`)
    }

    const { distinct, places, numbers, firsts, counts } = found
    this.module = module
    this.bytesEach = 2 ** sparseness
    this.distinct = distinct
    this.places = places
    this.numbers = numbers
    this.firsts = firsts
    this.counts = counts
    this.length = length
    this.#files = files
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
