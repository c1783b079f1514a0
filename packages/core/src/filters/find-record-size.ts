import { MAX_RECORD_SIZE } from './filter.ts'

/** Bytes in the middle that are compared with those before them, 8 KiB: 300 records of 28 bytes. */
const COMPARED = 8 * 1024

/** Bytes that are compared at a time. */
const WORD = 4

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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const equal = Array.from({ length: MAX_RECORD_SIZE + 1 }, (_, distance) => countEqual(view, distance))
  const limit = Math.max(...numbers.map(size => equal[size]))
  const most = equal.reduce((most, count, size) => size < 2 || numbers.includes(size) ? most : Math.max(most, count), 0)

  return most <= limit * MIN_GAIN
    ? undefined
    : equal.findIndex((count, size) => size >= 2 && !numbers.includes(size) && count >= most * CHANCE)
}

function countEqual (view: DataView, distance: number): number {
  const { byteLength } = view
  const start = Math.max((byteLength - COMPARED) >> 1, MAX_RECORD_SIZE)
  const end = Math.min(start + COMPARED, byteLength) - WORD
  let count = 0

  // four bytes at a time, of which those that are equal are 0 in `different`: a bit is left of each
  for (let i = start; i <= end; i += WORD) {
    const different = view.getInt32(i, true) ^ view.getInt32(i - distance, true)
    const equal = ~((different & 0x7f7f7f7f) + 0x7f7f7f7f | different) & 0x80808080
    count += Math.imul(equal >>> 7, 0x01010101) >>> 24
  }

  return count
}
