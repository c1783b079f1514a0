import type { Width } from './filter.ts'

/**
 * Replace each element by its difference to the one before it. Elements are unsigned, in little
 * endian, and wrap around. The first stays, and so do the bytes behind the last.
 *
 * @param target - of the same length. It may be the source.
 */
export function delta (source: Uint8Array, target: Uint8Array, width: Width): void {
  const end = copyRest(source, target, width)
  const [from, to] = [viewOf(source), viewOf(target)]

  switch (width) {
    case 1:
      for (let i = 0, before = 0; i < end; i++) {
        const value = source[i]
        target[i] = value - before
        before = value
      }
      break
    case 2:
      for (let i = 0, before = 0; i < end; i += 2) {
        const value = from.getUint16(i, true)
        to.setUint16(i, value - before, true)
        before = value
      }
      break
    case 3:
      for (let i = 0, before = 0; i < end; i += 3) {
        const value = source[i] | source[i + 1] << 8 | source[i + 2] << 16
        writeUint24(target, i, value - before)
        before = value
      }
      break
    case 4:
      for (let i = 0, before = 0; i < end; i += 4) {
        const value = from.getInt32(i, true)
        to.setInt32(i, value - before | 0, true)
        before = value
      }
      break
    case 8:
      // as two halves: arithmetic with 64 bits would allocate
      for (let i = 0, lowBefore = 0, highBefore = 0; i < end; i += 8) {
        const low = from.getUint32(i, true)
        const high = from.getUint32(i + 4, true)
        to.setInt32(i, low - lowBefore | 0, true)
        to.setInt32(i + 4, high - highBefore - (low < lowBefore ? 1 : 0) | 0, true)
        lowBefore = low
        highBefore = high
      }
      break
  }
}

/** The inverse of {@link delta}. */
export function undelta (source: Uint8Array, target: Uint8Array, width: Width): void {
  const end = copyRest(source, target, width)
  const [from, to] = [viewOf(source), viewOf(target)]

  switch (width) {
    case 1:
      for (let i = 0, value = 0; i < end; i++) {
        value = value + source[i] & 0xff
        target[i] = value
      }
      break
    case 2:
      for (let i = 0, value = 0; i < end; i += 2) {
        value = value + from.getUint16(i, true) & 0xffff
        to.setUint16(i, value, true)
      }
      break
    case 3:
      for (let i = 0, value = 0; i < end; i += 3) {
        value = value + (source[i] | source[i + 1] << 8 | source[i + 2] << 16) & 0xffffff
        writeUint24(target, i, value)
      }
      break
    case 4:
      for (let i = 0, value = 0; i < end; i += 4) {
        value = value + from.getInt32(i, true) | 0
        to.setInt32(i, value, true)
      }
      break
    case 8:
      for (let i = 0, low = 0, high = 0; i < end; i += 8) {
        const added = from.getUint32(i, true)
        low = low + added >>> 0
        high = high + from.getInt32(i + 4, true) + (low < added ? 1 : 0) | 0
        to.setUint32(i, low, true)
        to.setInt32(i + 4, high, true)
      }
      break
  }
}

/** Copy the bytes that make no element. Returns where they begin. */
function copyRest (source: Uint8Array, target: Uint8Array, width: Width): number {
  const end = source.byteLength - source.byteLength % width

  if (target !== source) {
    target.set(source.subarray(end), end)
  }

  return end
}

/** The low 24 bits of a number, in little endian. */
function writeUint24 (target: Uint8Array, position: number, value: number): void {
  target[position] = value
  target[position + 1] = value >> 8
  target[position + 2] = value >> 16
}

function viewOf ({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
