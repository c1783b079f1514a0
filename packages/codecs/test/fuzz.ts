import { goodFrames, repair } from './fuzz-frames.ts'
import { concat, random, TABLE } from './fixtures.ts'
import type { CodecName, ImplementationName } from '../src/codec.ts'
import type { Good } from './fuzz-frames.ts'

/** The input of one call of a decoder. */
export interface Input {
  frame: Uint8Array
  size: number
  dictionary?: Uint8Array
  /** The expected result, if the frame is intact. */
  bytes?: Uint8Array
}

type Next = () => number
type Mutation = (frame: Uint8Array, next: Next, other: Uint8Array) => Uint8Array

/** Frames are used less often if they, or their contents, are longer than this. */
const SMALL = 4000
const MEDIUM = 100_000
const MIB = 1024 * 1024

/** Bytes at the edges of the ranges of fields. */
const EDGES = [0, 1, 0x0f, 0x10, 0x11, 0x3f, 0x40, 0x7f, 0x80, 0xf0, 0xfe, 0xff]
/** Lengths at or near some limit of a format. */
const LENGTHS = [
  0,
  1,
  0x7f,
  0xff,
  0xffff,
  0x10000,
  0x10001,
  0x3fffff,
  0x400001,
  0xffffff,
  0x1000001,
  0x7fffffff,
  0x80000000,
  0x80000001,
  0xfffffffe,
  0xffffffff
]

const MUTATIONS: readonly Mutation[] = [
  function flipBits (frame, next) {
    const flipped = frame.slice()

    for (let i = next() % 4; i >= 0; i--) {
      flipped[place(frame, next)] ^= 1 << next() % 8
    }

    return flipped
  },

  function overwrite (frame, next) {
    const written = frame.slice()

    for (let i = next() % 3; i >= 0; i--) {
      written[place(frame, next)] = next() % 2 === 0 ? pick(EDGES, next) : next()
    }

    return written
  },

  function addToByte (frame, next) {
    const written = frame.slice()
    written[place(frame, next)] += next() % 2 === 0 ? 1 : -1

    return written
  },

  function writeLength (frame, next) {
    const written = frame.slice()
    const position = place(frame, next)
    const value = next() % 4 === 0 ? next() : pick(LENGTHS, next)
    const width = pick([2, 3, 4, 4], next)
    const isBigEndian = next() % 2 === 0

    for (let i = 0; i < width; i++) {
      written[position + i] = value / 2 ** (8 * (isBigEndian ? width - 1 - i : i))
    }

    return written
  },

  function truncate (frame, next) {
    const position = next() % 3 === 0 ? frame.byteLength - next() % 8 : place(frame, next)

    return frame.slice(0, Math.max(0, position))
  },

  function insert (frame, next) {
    const position = place(frame, next)
    const byte = next()
    const inserted = Uint8Array.from(
      { length: 1 + next() % pick([2, 8, 300], next) },
      next() % 2 === 0 ? next : () => byte
    )

    return concat(frame.subarray(0, position), inserted, frame.subarray(position))
  },

  function remove (frame, next) {
    const [start, end] = range(frame, next)

    return concat(frame.subarray(0, start), frame.subarray(end))
  },

  function duplicate (frame, next) {
    const [start, end] = range(frame, next)

    return concat(frame.subarray(0, end), frame.subarray(start))
  },

  function swap (frame, next) {
    const [start, end] = range(frame, next)
    const middle = start + next() % (end - start + 1)

    return concat(
      frame.subarray(0, start),
      frame.subarray(middle, end),
      frame.subarray(start, middle),
      frame.subarray(end)
    )
  },

  function randomize (frame, next) {
    const [start, end] = range(frame, next)
    const written = frame.slice()

    for (let i = start; i < end; i++) {
      written[i] = next()
    }

    return written
  },

  function splice (frame, next, other) {
    return concat(frame.subarray(0, place(frame, next)), other.subarray(place(other, next)))
  },

  function append (frame, next) {
    return concat(frame, Uint8Array.from({ length: 1 + next() % 20 }, next() % 2 === 0 ? next : () => 0))
  },

  function concatenate (frame, next, other) {
    return next() % 2 === 0 ? concat(frame, other) : concat(other, frame)
  }
]

/** The implementations that decompress a codec on this platform. */
export function readers (name: CodecName): ImplementationName[] {
  return TABLE[name].filter(entry => entry.only !== 'compress' && entry.available()).map(entry => entry.name)
}

/** Makes inputs for a codec. Each depends only on the seed and its number, so it can be made again. */
export async function inputs (name: CodecName, seed: number): Promise<(number: number) => Input> {
  const good = await goodFrames(name)
  const bySize = [SMALL, MEDIUM, Infinity].map(
    max => good.filter(({ frame, bytes }) => Math.max(frame.byteLength, bytes.byteLength) <= max)
  )

  return number => {
    const next = random(mix(seed, number))
    const choose = (): Good => pick(bySize[[0, 0, 0, 0, 0, 0, 0, 1, 1, next() % 8 === 0 ? 2 : 1][next() % 10]], next)
    const { frame, bytes, dictionary } = choose()

    if (number < good.length) {
      return { ...good[number], size: good[number].bytes.byteLength }
    }

    // decoders must still read an intact frame after a broken one
    if (next() % 32 === 0) {
      return { frame, bytes, size: bytes.byteLength, dictionary }
    }

    const size = next() % 8 === 0 ? wrongSize(bytes.byteLength, next) : bytes.byteLength
    let mutated = frame

    // mostly one mutation
    for (let i = pick([1, 1, 1, 2, 3, 6], next); i > 0; i--) {
      mutated = pick(MUTATIONS, next)(mutated, next, choose().frame)
    }

    if (next() % 2 === 0) {
      mutated = mutated.slice()
      repair(name, mutated, size, frame)
    }

    // a frame with a dictionary gets another one now and then, and a frame without one gets one
    const other = next() % 16 === 0 ? choose().dictionary : dictionary

    return { frame: mutated, size, dictionary: other }
  }
}

function wrongSize (size: number, next: Next): number {
  return Math.max(
    0,
    pick(
      [
        0,
        size - 1,
        size + 1,
        size - 1,
        size + 1,
        2 * size,
        size + next() % 70_000,
        next() % 8 === 0 ? 16 * MIB : 65536
      ],
      next
    )
  )
}

/** A position in a frame: often in the headers at the front, sometimes in the trailer. */
function place (frame: Uint8Array, next: Next): number {
  const near = pick([frame.byteLength, frame.byteLength, 8, 32, 64], next)
  const position = next() % Math.max(1, Math.min(near, frame.byteLength))

  return next() % 8 === 0 ? Math.max(0, frame.byteLength - 1 - position % 16) : position
}

/** The start and the exclusive end of a part of a frame, mostly a short one. */
function range (frame: Uint8Array, next: Next): [number, number] {
  const start = place(frame, next)

  return [start, Math.min(frame.byteLength, start + 1 + next() % pick([4, 64, frame.byteLength + 1], next))]
}

function pick<T> (values: readonly T[], next: Next): T {
  return values[next() % values.length]
}

/** A seed for each number, mixed by the finalizer of MurmurHash3. Never 0. */
function mix (seed: number, number: number): number {
  let value = seed ^ Math.imul(number + 1, 0x9e3779b1)
  value = Math.imul(value ^ value >>> 16, 0x85ebca6b)
  value = Math.imul(value ^ value >>> 13, 0xc2b2ae35)

  return (value ^ value >>> 16) || 1
}
