import { COPY_SIZE } from './memory'

/*
 * A copy is bytes of the content that are also elsewhere, before them or in the dictionary. A list has three numbers
 * for each: where it begins in the dictionary and the content together, its length, and how far before it the same
 * bytes begin.
 */

export function setCopy (list: usize, number: i32, start: i32, length: i32, offset: i32): void {
  const copy = list + COPY_SIZE * number
  store<i32>(copy, start)
  store<i32>(copy + 4, length)
  store<i32>(copy + 8, offset)
}

export function startOf (list: usize, number: i32): i32 {
  return load<i32>(list + COPY_SIZE * number)
}

export function lengthOf (list: usize, number: i32): i32 {
  return load<i32>(list + COPY_SIZE * number + 4)
}

export function offsetOf (list: usize, number: i32): i32 {
  return load<i32>(list + COPY_SIZE * number + 8)
}
