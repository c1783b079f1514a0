/** Filters of frames (docs/format.md, section 6): what they do is in packages/core/src/filters. */
import { fromPlanes, toPlanes } from './planes'
import { delta, undelta } from './differences'

const ALIGNMENT: i32 = 16
/** Bytes behind each array that loads of 16 bytes may reach. */
const SPARE: i32 = 32

/** Where the bytes of a frame go, and where the result of an odd number of steps is. */
export const first: usize = (__heap_base + ALIGNMENT - 1) & ~(ALIGNMENT - 1)
export let second: usize = 0

/** Make room for so many bytes, twice. Returns whether there is so much memory. */
export function reserve (length: i32): bool {
  second = (first + length + SPARE + ALIGNMENT - 1) & ~(ALIGNMENT - 1)
  const pages = i32((second + length + SPARE + 0xffff) >>> 16) - memory.size()

  return pages <= 0 || memory.grow(pages) >= 0
}

/** How many bytes from one place to another are equal to the one `distance` before them. */
export function countEqual (distance: i32, start: i32, end: i32): i32 {
  let at = first + start
  let count = 0

  for (; at + 16 <= first + end; at += 16) {
    count += popcnt<i32>(i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(at - distance))))
  }

  for (; at < first + end; at++) {
    count += i32(load<u8>(at) === load<u8>(at - distance))
  }

  return count
}

/** Counts of the 256 bytes. */
const counts: usize = memory.data(1024)

/** About how many bits bytes take, if each of so many planes has Huffman codes of its own. */
export function entropy (at: usize, length: i32, planes: i32): f64 {
  const size = length / planes
  let bits: f64 = 0

  for (let plane = 0; plane < planes; plane++) {
    const start = at + plane * size
    bits += entropyOf(start, plane === planes - 1 ? at + length : start + size)
  }

  return bits
}

function entropyOf (start: usize, end: usize): f64 {
  memory.fill(counts, 0, 1024)

  for (let at = start; at < end; at++) {
    const count = counts + 4 * usize(load<u8>(at))
    store<u32>(count, load<u32>(count) + 1)
  }

  let bits = timesLog2(u32(end - start))

  for (let i = 0; i < 256; i++) {
    bits -= timesLog2(load<u32>(counts + 4 * i))
  }

  return bits
}

/** A number times its logarithm: between powers of two, that is taken for a line. */
function timesLog2 (value: u32): f64 {
  if (value === 0) {
    return 0
  }

  const power = 31 - clz<u32>(value)

  return f64(value) * (f64(power) + f64(value) / f64(1 << power) - 1)
}

export { delta, fromPlanes, toPlanes, undelta }
