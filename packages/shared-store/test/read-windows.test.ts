import { describe, expect, it } from 'vitest'
import { MAX_EXPECTED, ReadWindows } from '../src/packs/read-windows.ts'

const PIECE = 128 * 1024
const MIB = 1024 * 1024

/** Bytes that are read for pieces that are wanted, each with a request of its own. */
function read (windows: ReadWindows, wanted: readonly number[], isUsed: boolean): number {
  const there = new Set<number>()

  for (const piece of wanted.filter(piece => !there.has(piece))) {
    const { from, to } = windows.next({ pack: 'a', from: piece, to: piece + 1 }, piece => there.has(piece))

    for (let number = from; number < to; number++) {
      there.add(number)

      if (isUsed) {
        windows.use({ pack: 'a', from: number, to: number + 1 }, PIECE)
      }
    }
  }

  return there.size * PIECE
}

describe('how much a request reads', () => {
  it('is the most that is allowed from the beginning, for as long as what is expected is used', () => {
    const windows = new ReadWindows(PIECE)
    windows.expect(1000 * MIB)
    const requests: number[] = []

    for (let at = 0; at < 8000;) {
      const { from, to } = windows.next({ pack: 'a', from: at, to: at + 1 }, piece => piece < at)
      requests.push(to - from)
      windows.use({ pack: 'a', from, to: from + 1 }, (to - from) * PIECE)
      at = to
    }

    expect(new Set(requests)).toEqual(new Set([MAX_EXPECTED]))
  })

  it('is bounded if somebody claims that everything is wanted, and then wants little', () => {
    const windows = new ReadWindows(PIECE)
    windows.expect(Infinity)
    const scattered = Array.from({ length: 500 }, (_, i) => i * 2 * MAX_EXPECTED)

    expect(read(windows, scattered, false)).toBeLessThan(500 * PIECE + 50 * MIB)
    // until somebody says so again
    windows.expect(Infinity)
    expect(read(windows, scattered.map(piece => piece + MAX_EXPECTED), false)).toBeGreaterThan(40 * MIB)
  })

  it('is large in as many places as the disk has space for', () => {
    const scattered = Array.from({ length: 20 }, (_, i) => i * 2 * MAX_EXPECTED)
    const sizes = (windows: ReadWindows): number[] => {
      windows.expect(1000 * MIB)

      return scattered.map(from => {
        const read = windows.next({ pack: 'a', from, to: from + 1 }, () => false)

        return read.to - read.from
      })
    }

    expect(sizes(new ReadWindows(PIECE)).at(-1)).toBe(1)
    expect(new Set(sizes(new ReadWindows(PIECE, 512 * MIB)))).toEqual(new Set([MAX_EXPECTED]))
  })

  it('does not count what was dropped from memory as expected again', () => {
    const windows = new ReadWindows(PIECE)
    windows.expect(2 * MAX_EXPECTED * PIECE)
    const next = (from: number): number => {
      const read = windows.next({ pack: 'a', from, to: from + 1 }, () => false)
      windows.use({ pack: 'a', from: read.from, to: read.to }, (read.to - read.from) * PIECE)

      return read.to - read.from
    }

    expect(next(0)).toBe(MAX_EXPECTED)
    expect(next(5)).toBeLessThan(MAX_EXPECTED)
    expect(next(MAX_EXPECTED)).toBe(MAX_EXPECTED)
  })
})
