/** How the page of `examples/dataset` reads a file in ranges. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RangeFile } from '../../examples/dataset/src/range-file.ts'
import { noise } from '../support/data.ts'

const CHUNK = 65_536

/** A file, and the ranges that were asked for. */
function open (bytes: Uint8Array): { file: RangeFile, asked: Array<[start: number, end: number]> } {
  const asked: Array<[number, number]> = []
  const file = new RangeFile(bytes.byteLength, (start, end) => {
    asked.push([start, end])

    return bytes.subarray(start, end)
  })

  return { file, asked }
}

describe('a file that is read in ranges', () => {
  it('returns the bytes at any place, and asks for none of them twice', () => {
    const bytes = noise(20 * CHUNK + 777)
    const place = fc.record({ offset: fc.nat(bytes.byteLength + 10), length: fc.integer({ min: 1, max: 3 * CHUNK }) })

    fc.assert(fc.property(fc.array(place), places => {
      const { file, asked } = open(bytes)

      for (const { offset, length } of places) {
        const into = new Uint8Array(length)
        const count = file.read(into, offset)
        const expected = bytes.subarray(offset, offset + length)
        expect(count).toBe(expected.byteLength)
        expect(Buffer.compare(into.subarray(0, count), expected)).toBe(0)
      }

      const ranges = asked.toSorted(([a], [b]) => a - b)
      ranges.slice(1).forEach(([start], i) => { expect(start).toBeGreaterThanOrEqual(ranges[i][1]) })
    }))
  })

  it('asks for more at a time as long as it is read in order, also past what it has', () => {
    const { file, asked } = open(new Uint8Array(200 * CHUNK))
    file.read(new Uint8Array(100), 50 * CHUNK)

    for (let page = 0; page < 200 * CHUNK; page += 4096) {
      file.read(new Uint8Array(4096), page)
    }

    expect(asked.map(([start, end]) => (end - start) / CHUNK)).toEqual([1, 1, 2, 4, 8, 16, 19, 64, 85])
  })

  it('asks for one chunk where a reader jumps', () => {
    const { file, asked } = open(new Uint8Array(200 * CHUNK))

    for (let chunk = 0; chunk < 200; chunk += 3) {
      file.read(new Uint8Array(4096), chunk * CHUNK)
    }

    expect(asked.every(([start, end]) => end - start === CHUNK)).toBe(true)
  })

  it('refuses a server that sends less than it was asked for', () => {
    const file = new RangeFile(1000, () => new Uint8Array(10))

    expect(() => file.read(new Uint8Array(100), 0)).toThrow('10 bytes arrived instead of 1000')
  })
})
