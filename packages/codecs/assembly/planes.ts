/**
 * Transposes records into byte planes and back: as packages/core/src/filters/planes.ts, which says what it does, with
 * 16 records at a time.
 */
import { bytesBefore, prefixSums, splatLast } from './lanes'

/** How many bytes of records are moved at a time: the first-level cache holds them and their part of each plane. */
const TILE: i32 = 16 * 1024
const MAX_WIDTH: i32 = 64

/** What happens to the bytes of each plane: see `Differences` in core. */
const NONE: i32 = 0
const BYTES: i32 = 2

/** For each plane, its byte of the record before. */
const last: usize = memory.data(64)

export function toPlanes (source: usize, target: usize, length: i32, width: i32, differences: i32): void {
  const count = length / width
  const end = source + count * width
  memory.fill(last, 0, MAX_WIDTH)

  if (differences === BYTES && count > 0) {
    // as if the last byte of the plane before stood before each
    memory.copy(last + 1, end - width, width - 1)
  }

  const step = stepOf(width)

  for (let from = 0; from < count; from += step) {
    const records = min(step, count - from)
    const tile = source + from * width

    for (let plane = 0; plane < width;) {
      const left = width - plane
      const to = target + plane * count + from

      if (left >= 4) {
        split4(tile + plane, to, records, width, count, last + plane, differences !== NONE)
        plane += 4
      } else if (left >= 2) {
        split2(tile + plane, to, records, width, count, last + plane, differences !== NONE)
        plane += 2
      } else {
        split1(tile + plane, to, records, width, last + plane, differences !== NONE)
        plane++
      }
    }
  }

  const rest = length - count * width
  memory.copy(target + count * width, end, rest)

  if (differences === BYTES) {
    let before: u8 = count > 0 ? load<u8>(end - 1) : 0

    for (let i = 0; i < rest; i++) {
      const byte = load<u8>(end + i)
      store<u8>(target + count * width + i, byte - before)
      before = byte
    }
  }
}

/** The inverse of {@link toPlanes}. */
export function fromPlanes (source: usize, target: usize, length: i32, width: i32, differences: i32): void {
  const count = length / width
  memory.fill(last, 0, MAX_WIDTH)

  if (differences === BYTES) {
    let sum: u8 = 0

    for (let plane = 0; plane < width; plane++) {
      store<u8>(last + plane, sum)
      sum += sumOf(source + plane * count, count)
    }
  }

  const step = stepOf(width)

  for (let from = 0; from < count; from += step) {
    const records = min(step, count - from)
    const tile = target + from * width

    for (let plane = 0; plane < width;) {
      const left = width - plane
      const planes = source + plane * count + from

      if (left >= 4) {
        join4(planes, tile + plane, records, width, count, last + plane, differences !== NONE)
        plane += 4
      } else if (left >= 2) {
        join2(planes, tile + plane, records, width, count, last + plane, differences !== NONE)
        plane += 2
      } else {
        join1(planes, tile + plane, records, width, last + plane, differences !== NONE)
        plane++
      }
    }
  }

  const end = target + count * width
  const rest = length - count * width
  memory.copy(end, source + count * width, rest)

  if (differences === BYTES) {
    let byte: u8 = count > 0 ? load<u8>(end - 1) : 0

    for (let i = 0; i < rest; i++) {
      byte += load<u8>(end + i)
      store<u8>(end + i, byte)
    }
  }
}

/** Records of a tile: a multiple of 16, but for the last one. */
function stepOf (width: i32): i32 {
  return (TILE / width) & ~15
}

/** Four bytes of each record. `before` has those of the record before, and gets those of the last one. */
function split4 (
  source: usize, target: usize, records: i32, width: i32, count: i32, before: usize, subtracts: bool
): void {
  let a0 = i8x16.splat(load<i8>(before))
  let b0 = i8x16.splat(load<i8>(before, 1))
  let c0 = i8x16.splat(load<i8>(before, 2))
  let d0 = i8x16.splat(load<i8>(before, 3))
  let from = source
  let i = 0

  for (; i + 16 <= records; i += 16) {
    let words0: v128, words1: v128, words2: v128, words3: v128

    if (width === 4) {
      words0 = v128.load(from)
      words1 = v128.load(from, 16)
      words2 = v128.load(from, 32)
      words3 = v128.load(from, 48)
      from += 64
    } else {
      words0 = gather4(from, width)
      words1 = gather4(from + 4 * width, width)
      words2 = gather4(from + 8 * width, width)
      words3 = gather4(from + 12 * width, width)
      from += 16 * width
    }

    const ab0 = i8x16.shuffle(words0, words1, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29)
    const cd0 = i8x16.shuffle(words0, words1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31)
    const ab1 = i8x16.shuffle(words2, words3, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29)
    const cd1 = i8x16.shuffle(words2, words3, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31)
    const a = i8x16.shuffle(ab0, ab1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
    const b = i8x16.shuffle(ab0, ab1, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
    const c = i8x16.shuffle(cd0, cd1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
    const d = i8x16.shuffle(cd0, cd1, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
    const to = target + i

    if (subtracts) {
      v128.store(to, i8x16.sub(a, bytesBefore(a0, a)))
      v128.store(to + count, i8x16.sub(b, bytesBefore(b0, b)))
      v128.store(to + 2 * count, i8x16.sub(c, bytesBefore(c0, c)))
      v128.store(to + 3 * count, i8x16.sub(d, bytesBefore(d0, d)))
      a0 = a
      b0 = b
      c0 = c
      d0 = d
    } else {
      v128.store(to, a)
      v128.store(to + count, b)
      v128.store(to + 2 * count, c)
      v128.store(to + 3 * count, d)
    }
  }

  store<u8>(before, i8x16.extract_lane_u(a0, 15))
  store<u8>(before, i8x16.extract_lane_u(b0, 15), 1)
  store<u8>(before, i8x16.extract_lane_u(c0, 15), 2)
  store<u8>(before, i8x16.extract_lane_u(d0, 15), 3)

  for (let plane = 0; plane < 4; plane++) {
    split1(source + i * width + plane, target + i + plane * count, records - i, width, before + plane, subtracts)
  }
}

function gather4 (from: usize, width: i32): v128 {
  let words = v128.load32_zero(from)
  words = v128.load_lane<u32>(from + width, words, 1)
  words = v128.load_lane<u32>(from + 2 * width, words, 2)

  return v128.load_lane<u32>(from + 3 * width, words, 3)
}

function split2 (
  source: usize, target: usize, records: i32, width: i32, count: i32, before: usize, subtracts: bool
): void {
  let i = 0

  if (width === 2) {
    let a0 = i8x16.splat(load<i8>(before))
    let b0 = i8x16.splat(load<i8>(before, 1))

    for (; i + 16 <= records; i += 16) {
      const pairs0 = v128.load(source + 2 * i)
      const pairs1 = v128.load(source + 2 * i, 16)
      const a = i8x16.shuffle(pairs0, pairs1, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
      const b = i8x16.shuffle(pairs0, pairs1, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
      const to = target + i

      if (subtracts) {
        v128.store(to, i8x16.sub(a, bytesBefore(a0, a)))
        v128.store(to + count, i8x16.sub(b, bytesBefore(b0, b)))
        a0 = a
        b0 = b
      } else {
        v128.store(to, a)
        v128.store(to + count, b)
      }
    }

    store<u8>(before, i8x16.extract_lane_u(a0, 15))
    store<u8>(before, i8x16.extract_lane_u(b0, 15), 1)
  }

  for (let plane = 0; plane < 2; plane++) {
    split1(source + i * width + plane, target + i + plane * count, records - i, width, before + plane, subtracts)
  }
}

function split1 (source: usize, target: usize, records: i32, width: i32, before: usize, subtracts: bool): void {
  let byte0 = load<u8>(before)

  for (let i = 0, from = source; i < records; i++, from += width) {
    const byte = load<u8>(from)
    store<u8>(target + i, byte - byte0)
    byte0 = subtracts ? byte : 0
  }

  store<u8>(before, byte0)
}

function join4 (
  source: usize, target: usize, records: i32, width: i32, count: i32, before: usize, adds: bool
): void {
  let a0 = i8x16.splat(load<i8>(before))
  let b0 = i8x16.splat(load<i8>(before, 1))
  let c0 = i8x16.splat(load<i8>(before, 2))
  let d0 = i8x16.splat(load<i8>(before, 3))
  let to = target
  let i = 0

  for (; i + 16 <= records; i += 16) {
    const from = source + i
    let a = v128.load(from)
    let b = v128.load(from + count)
    let c = v128.load(from + 2 * count)
    let d = v128.load(from + 3 * count)

    if (adds) {
      a = i8x16.add(prefixSums(a), a0)
      b = i8x16.add(prefixSums(b), b0)
      c = i8x16.add(prefixSums(c), c0)
      d = i8x16.add(prefixSums(d), d0)
      a0 = splatLast(a)
      b0 = splatLast(b)
      c0 = splatLast(c)
      d0 = splatLast(d)
    }

    const ab0 = i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
    const ab1 = i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
    const cd0 = i8x16.shuffle(c, d, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
    const cd1 = i8x16.shuffle(c, d, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
    const words0 = i8x16.shuffle(ab0, cd0, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
    const words1 = i8x16.shuffle(ab0, cd0, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
    const words2 = i8x16.shuffle(ab1, cd1, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
    const words3 = i8x16.shuffle(ab1, cd1, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)

    if (width === 4) {
      v128.store(to, words0)
      v128.store(to, words1, 16)
      v128.store(to, words2, 32)
      v128.store(to, words3, 48)
      to += 64
    } else {
      scatter4(to, words0, width)
      scatter4(to + 4 * width, words1, width)
      scatter4(to + 8 * width, words2, width)
      scatter4(to + 12 * width, words3, width)
      to += 16 * width
    }
  }

  store<u8>(before, i8x16.extract_lane_u(a0, 15))
  store<u8>(before, i8x16.extract_lane_u(b0, 15), 1)
  store<u8>(before, i8x16.extract_lane_u(c0, 15), 2)
  store<u8>(before, i8x16.extract_lane_u(d0, 15), 3)

  for (let plane = 0; plane < 4; plane++) {
    join1(source + i + plane * count, target + i * width + plane, records - i, width, before + plane, adds)
  }
}

function scatter4 (to: usize, words: v128, width: i32): void {
  v128.store_lane<u32>(to, words, 0)
  v128.store_lane<u32>(to + width, words, 1)
  v128.store_lane<u32>(to + 2 * width, words, 2)
  v128.store_lane<u32>(to + 3 * width, words, 3)
}

function join2 (
  source: usize, target: usize, records: i32, width: i32, count: i32, before: usize, adds: bool
): void {
  let i = 0

  if (width === 2) {
    let a0 = i8x16.splat(load<i8>(before))
    let b0 = i8x16.splat(load<i8>(before, 1))

    for (; i + 16 <= records; i += 16) {
      let a = v128.load(source + i)
      let b = v128.load(source + i + count)

      if (adds) {
        a = i8x16.add(prefixSums(a), a0)
        b = i8x16.add(prefixSums(b), b0)
        a0 = splatLast(a)
        b0 = splatLast(b)
      }

      const to = target + 2 * i
      v128.store(to, i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23))
      v128.store(to, i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16)
    }

    store<u8>(before, i8x16.extract_lane_u(a0, 15))
    store<u8>(before, i8x16.extract_lane_u(b0, 15), 1)
  }

  for (let plane = 0; plane < 2; plane++) {
    join1(source + i + plane * count, target + i * width + plane, records - i, width, before + plane, adds)
  }
}

function join1 (source: usize, target: usize, records: i32, width: i32, before: usize, adds: bool): void {
  let byte = load<u8>(before)

  for (let i = 0, to = target; i < records; i++, to += width) {
    byte += load<u8>(source + i)
    store<u8>(to, byte)
    byte = adds ? byte : 0
  }

  store<u8>(before, byte)
}

function sumOf (start: usize, length: i32): u8 {
  let sums = i8x16.splat(0)
  let i = 0

  for (; i + 16 <= length; i += 16) {
    sums = i8x16.add(sums, v128.load(start + i))
  }

  let sum = i8x16.extract_lane_u(prefixSums(sums), 15)

  for (; i < length; i++) {
    sum += load<u8>(start + i)
  }

  return sum
}
