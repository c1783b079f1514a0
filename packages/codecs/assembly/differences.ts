/** Differences of elements, and what they were: as packages/core/src/filters/delta.ts, in place or not. */
import { bytesBefore, eightBefore, fourBefore, prefixSums, splatLast, twoBefore } from './lanes'

export function delta (source: usize, target: usize, length: i32, width: i32): void {
  const end = length - length % width
  let before = i8x16.splat(0)
  let at = 0

  if (width !== 3) {
    for (; at + 16 <= end; at += 16) {
      const values = v128.load(source + at)
      v128.store(target + at, subtract(values, before, width))
      before = values
    }
  }

  // backwards, as the source may be the target: what is before stays until it is needed
  for (let i = end - width; i >= at; i -= width) {
    storeElement(target + i, loadElement(source + i, width) - beforeAt(source, i, at, width, before), width)
  }

  memory.copy(target + end, source + end, length - end)
}

/** The inverse of {@link delta}. */
export function undelta (source: usize, target: usize, length: i32, width: i32): void {
  const end = length - length % width
  let sum: u64 = 0
  let at = 0

  if (width !== 3) {
    let before = i8x16.splat(0)

    for (; at + 16 <= end; at += 16) {
      const sums = add(v128.load(source + at), before, width)
      v128.store(target + at, sums)
      before = repeatLast(sums, width)
    }

    sum = i64x2.extract_lane(before, 1) >>> (64 - 8 * width)
  }

  for (; at < end; at += width) {
    sum += loadElement(source + at, width)
    storeElement(target + at, sum, width)
  }

  memory.copy(target + end, source + end, length - end)
}

function subtract (values: v128, before: v128, width: i32): v128 {
  if (width === 1) {
    return i8x16.sub(values, bytesBefore(before, values))
  }

  if (width === 2) {
    return i16x8.sub(values, twoBefore(before, values))
  }

  return width === 4
    ? i32x4.sub(values, fourBefore(before, values))
    : i64x2.sub(values, eightBefore(before, values))
}

/** @param before - the last sum, in all elements */
function add (values: v128, before: v128, width: i32): v128 {
  const zero = i8x16.splat(0)

  if (width === 1) {
    return i8x16.add(prefixSums(values), before)
  }

  if (width === 2) {
    let sums = i16x8.add(values, twoBefore(zero, values))
    sums = i16x8.add(sums, fourBefore(zero, sums))

    return i16x8.add(i16x8.add(sums, eightBefore(zero, sums)), before)
  }

  if (width === 4) {
    const sums = i32x4.add(values, fourBefore(zero, values))

    return i32x4.add(i32x4.add(sums, eightBefore(zero, sums)), before)
  }

  return i64x2.add(i64x2.add(values, eightBefore(zero, values)), before)
}

function repeatLast (sums: v128, width: i32): v128 {
  if (width === 1) {
    return splatLast(sums)
  }

  if (width === 2) {
    return i16x8.splat(i16x8.extract_lane_s(sums, 7))
  }

  return width === 4 ? i32x4.splat(i32x4.extract_lane(sums, 3)) : i64x2.splat(i64x2.extract_lane(sums, 1))
}

/** The element before one that is not in whole lanes of 16 bytes. */
function beforeAt (source: usize, at: i32, first: i32, width: i32, before: v128): u64 {
  if (at > first) {
    return loadElement(source + at - width, width)
  }

  return width === 3 ? 0 : i64x2.extract_lane(before, 1) >>> (64 - 8 * width)
}

/** An element of any width up to 8. */
function loadElement (at: usize, width: i32): u64 {
  let value: u64 = 0

  for (let i = 0; i < width; i++) {
    value |= u64(load<u8>(at + i)) << (8 * i)
  }

  return value
}

function storeElement (at: usize, value: u64, width: i32): void {
  for (let i = 0; i < width; i++) {
    store<u8>(at + i, <u8>(value >>> (8 * i)))
  }
}
