import { FORMATTED_DICTIONARY, MIN_DICTIONARY_SIZE } from '../constants.ts'
import type { Copy } from '../format/zstd/zstd-encode.ts'

/** A part of a dictionary, in bytes. */
interface Span {
  start: number
  end: number
}

/**
 * The part of a dictionary that copies refer to. It is a dictionary itself.
 *
 * @param copies - as if all of the dictionary came before the content
 * @returns undefined if they refer to nothing in it, or there is no such part
 */
export function spanOf (copies: readonly Copy[], dictionary: Uint8Array): Span | undefined {
  const { byteLength: size } = dictionary
  let [start, end] = [size, 0]

  for (const { start: to, length, offset } of copies) {
    if (offset > to) {
      start = Math.min(start, size + to - offset)
      end = Math.max(end, size + to - offset + length)
    }
  }

  if (start >= end || size < MIN_DICTIONARY_SIZE) {
    return undefined
  }

  start = Math.max(0, Math.min(start, end - MIN_DICTIONARY_SIZE))
  end = Math.max(end, start + MIN_DICTIONARY_SIZE)

  if (!FORMATTED_DICTIONARY.every((byte, i) => dictionary[start + i] === byte)) {
    return { start, end }
  }

  // what begins one byte earlier does not begin so
  return start === 0 ? undefined : { start: start - 1, end }
}

/** The same copies if the dictionary ends earlier: then what they refer to there is nearer. */
export function withDictionaryEnd (copies: readonly Copy[], size: number, end: number): Copy[] {
  return copies.map(({ start, length, offset }) =>
    ({ start, length, offset: offset > start ? offset - (size - end) : offset }))
}
