import { countBits } from './zstd-bits.ts'
import { corrupt } from './zstd-frame.ts'
import type { FramePart } from './zstd-fse.ts'
import type { HuffmanTable } from './zstd-huffman.ts'

/** Bytes of the lengths of the first three streams. */
const JUMP_TABLE = 6
/** The fewest literals for four streams. libzstd refuses fewer. */
const MIN_FOUR = 6

export interface StreamPart extends FramePart {
  /** Of the frame. */
  view: DataView
}

/**
 * Decode a Huffman stream (RFC 8878, section 4.2.2) of `length` literals.
 *
 * @throws {CorruptFrameError} it does not hold exactly that many symbols
 */
export function decodeStream (
  table: HuffmanTable,
  { frame, view, start, end }: StreamPart,
  target: Uint8Array,
  length: number
): void {
  finish(table, view, target, { start, left: countBits(frame, start, end), to: 0, stop: length })
}

/** What is not decoded yet of a stream. */
interface Rest {
  /** Where the stream begins. */
  start: number
  /** Bits, which are read from the end of the stream to its beginning. */
  left: number
  /** Where its literals go, and where they end. */
  to: number
  stop: number
}

function finish ({ bits, cells }: HuffmanTable, view: DataView, target: Uint8Array, rest: Rest): void {
  const { start, stop } = rest
  const unused = 32 - bits
  const base = start - 4
  let { left, to } = rest

  // a read has at least 25 valid bits, and two codes have at most 22
  for (; to < stop - 1 && left > 0; to += 2) {
    let next = view.getInt32(base + (left + 7 >> 3), true) << (-left & 7)
    const first = cells[next >>> unused]
    next <<= first & 15
    const second = cells[next >>> unused]
    target[to] = first >> 4
    target[to + 1] = second >> 4
    left -= (first & 15) + (second & 15)
  }

  if (to < stop && left > 0) {
    const last = cells[view.getInt32(base + (left + 7 >> 3), true) << (-left & 7) >>> unused]
    target[to++] = last >> 4
    left -= last & 15
  }

  if (left !== 0 || to < stop) {
    throw corrupt('a stream of literals does not end with its last bit')
  }
}

/**
 * Decode four streams after a table of their lengths (RFC 8878, section 3.1.1.3.1.6). Each
 * fills a quarter of the target, rounded up. They are decoded interleaved, since they do not
 * depend on each other.
 *
 * @throws {CorruptFrameError}
 */
export function decodeFourStreams (
  table: HuffmanTable,
  { frame, view, start, end }: StreamPart,
  target: Uint8Array,
  length: number
): void {
  if (length < MIN_FOUR || start + JUMP_TABLE > end) {
    throw corrupt('four streams of literals are too short')
  }

  const a = start + JUMP_TABLE
  const b = a + view.getUint16(start, true)
  const c = b + view.getUint16(start + 2, true)
  const d = c + view.getUint16(start + 4, true)

  if (d >= end) {
    throw corrupt('a stream of literals is out of range')
  }

  const quarter = length + 3 >> 2
  const { bits, cells } = table
  const unused = 32 - bits
  let leftA = countBits(frame, a, b)
  let leftB = countBits(frame, b, c)
  let leftC = countBits(frame, c, d)
  let leftD = countBits(frame, d, end)
  let to = 0

  // the last stream is the shortest. No count may go below zero
  for (const stop = length - 3 * quarter - 1; to < stop && (leftA | leftB | leftC | leftD) >= 0; to += 2) {
    let nextA = view.getInt32(a - 4 + (leftA + 7 >> 3), true) << (-leftA & 7)
    let nextB = view.getInt32(b - 4 + (leftB + 7 >> 3), true) << (-leftB & 7)
    let nextC = view.getInt32(c - 4 + (leftC + 7 >> 3), true) << (-leftC & 7)
    let nextD = view.getInt32(d - 4 + (leftD + 7 >> 3), true) << (-leftD & 7)
    const firstA = cells[nextA >>> unused]
    const firstB = cells[nextB >>> unused]
    const firstC = cells[nextC >>> unused]
    const firstD = cells[nextD >>> unused]
    nextA <<= firstA & 15
    nextB <<= firstB & 15
    nextC <<= firstC & 15
    nextD <<= firstD & 15
    const secondA = cells[nextA >>> unused]
    const secondB = cells[nextB >>> unused]
    const secondC = cells[nextC >>> unused]
    const secondD = cells[nextD >>> unused]
    leftA -= (firstA & 15) + (secondA & 15)
    leftB -= (firstB & 15) + (secondB & 15)
    leftC -= (firstC & 15) + (secondC & 15)
    leftD -= (firstD & 15) + (secondD & 15)
    target[to] = firstA >> 4
    target[to + 1] = secondA >> 4
    target[to + quarter] = firstB >> 4
    target[to + quarter + 1] = secondB >> 4
    target[to + 2 * quarter] = firstC >> 4
    target[to + 2 * quarter + 1] = secondC >> 4
    target[to + 3 * quarter] = firstD >> 4
    target[to + 3 * quarter + 1] = secondD >> 4
  }

  finish(table, view, target, { start: a, left: leftA, to, stop: quarter })
  finish(table, view, target, { start: b, left: leftB, to: to + quarter, stop: 2 * quarter })
  finish(table, view, target, { start: c, left: leftC, to: to + 2 * quarter, stop: 3 * quarter })
  finish(table, view, target, { start: d, left: leftD, to: to + 3 * quarter, stop: length })
}
