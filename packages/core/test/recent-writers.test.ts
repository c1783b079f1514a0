import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { RecentWriters } from '../src/write/recent-writers.ts'

function hashOf (i: number): Uint8Array {
  return Uint8Array.of(0x12, 0x20, ...createHash('sha256').update(String(i)).digest())
}

it('says who wrote a block last', () => {
  const writers = new RecentWriters(100)

  expect(['a', 'a', 'b', 'b', 'a', ''].map(writer => writers.note(hashOf(1), writer)))
    .toEqual(['first', 'same', 'other', 'same', 'other', 'other'])
  expect(writers.note(hashOf(2), 'a')).toBe('first')
  expect(writers.note(Uint8Array.of(0, 1, 7), 'a')).toBe('first')
})

it('remembers at least half of the most blocks, and no more than those', () => {
  const max = 10_000
  const writers = new RecentWriters(max)
  const all = Array.from({ length: 3 * max }, (_, i) => hashOf(i))
  expect(all.every(hash => writers.note(hash, 'a') === 'first')).toBe(true)

  const known = all.toReversed().map(hash => writers.note(hash, 'b'))
  expect(new Set(known.slice(0, max / 2))).toEqual(new Set(['other']))
  expect(new Set(known.slice(max))).toEqual(new Set(['first']))
})

it('keeps those that are written again and again', () => {
  const writers = new RecentWriters(1000)

  for (let i = 0; i < 20_000; i++) {
    writers.note(hashOf(i), 'a')
    expect(writers.note(hashOf(-1), 'a')).toBe(i === 0 ? 'first' : 'same')
  }
})
