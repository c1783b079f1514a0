import { FilterModule } from '@ipfsz/codecs/filters'
import { MAX_RECORD_SIZE } from './filter.ts'

/** Bytes in the middle that are compared with those before them, 8 KiB: 300 records of 28 bytes. */
const COMPARED = 8 * 1024

/** A distance is one of records only if so many more bytes are equal than at the distance of numbers. */
const MIN_GAIN = 1.05

/** A multiple of the size of a record has as many equal bytes, give or take chance. */
const CHANCE = 0.98

/**
 * The size of the records in an array, in bytes: fields that change little make most bytes equal to those one record
 * before.
 *
 * @param numbers - sizes of elements that need no such search
 * @returns undefined if no other size up to 64 has more equal bytes than these
 */
export function findRecordSize (bytes: Uint8Array, numbers: readonly number[]): number | undefined {
  const start = Math.max((bytes.byteLength - COMPARED) >> 1, MAX_RECORD_SIZE)
  const compared = bytes.subarray(start - MAX_RECORD_SIZE, start + COMPARED)
  const equal = FilterModule.shared?.countEqual(compared, MAX_RECORD_SIZE) ?? countEqual(compared, MAX_RECORD_SIZE)
  const limit = Math.max(...numbers.map(size => equal[size]))
  const most = equal.reduce((most, count, size) => size < 2 || numbers.includes(size) ? most : Math.max(most, count), 0)

  return most <= limit * MIN_GAIN
    ? undefined
    : equal.findIndex((count, size) => size >= 2 && !numbers.includes(size) && count >= most * CHANCE)
}

/** For each distance up to a maximum, how many bytes after so many are equal to the one so far before them. */
function countEqual (bytes: Uint8Array, maximum: number): number[] {
  return Array.from({ length: maximum + 1 }, (_, distance) => {
    let count = 0

    for (let i = maximum; i < bytes.byteLength; i++) {
      count += bytes[i] === bytes[i - distance] ? 1 : 0
    }

    return count
  })
}
