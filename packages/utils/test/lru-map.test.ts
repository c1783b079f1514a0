import { describe, expect, it } from 'vitest'
import { LruMap } from '../src/lru-map.ts'

/** Which of some keys are there. */
function kept<V> (map: LruMap<string, V>, keys = 'abcdef'): string {
  return [...keys].filter(key => map.has(key)).join('')
}

describe('a map that forgets', () => {
  it('drops what was used least recently once there are too many entries', () => {
    const map = new LruMap<string, number>({ maxEntries: 3 })
    map.set('a', 1)
    map.set('b', 2)
    map.set('c', 3)
    expect(map.get('a')).toBe(1)
    map.set('d', 4)

    expect(kept(map)).toBe('acd')
    expect([...map.values()]).toEqual([3, 1, 4])
  })

  it('does not count a look as use', () => {
    const map = new LruMap<string, number>({ maxEntries: 2 })
    map.set('a', 1)
    map.set('b', 2)
    expect([map.peek('a'), map.has('a')]).toEqual([1, true])
    map.set('c', 3)

    expect(kept(map)).toBe('bc')
  })

  it('drops as many as need be for the size of a new one, with its key', () => {
    const map = new LruMap<string, number>({ maxSize: 10, sizeOf: (value, key) => value + key.length })
    map.set('a', 3)
    map.set('b', 3)
    map.set('c', 5)
    expect(kept(map)).toBe('bc')

    map.set('d', 9)
    expect(kept(map)).toBe('d')
  })

  it('counts what a key had before no more', () => {
    const map = new LruMap<string, number>({ maxSize: 10, sizeOf: value => value })
    map.set('a', 4)
    map.set('b', 4)
    map.set('a', 6)
    expect(kept(map)).toBe('ab')
    expect([map.delete('a'), map.delete('a')]).toEqual([true, false])
    map.set('c', 6)
    expect(kept(map)).toBe('bc')
    map.clear()
    expect(kept(map)).toBe('')
    map.set('d', 10)
    expect(kept(map)).toBe('d')
  })

  it('does not keep what is larger than all may be, drops nothing for it, and forgets what it had for the key', () => {
    const map = new LruMap<string, number>({ maxSize: 10, sizeOf: value => value })
    map.set('a', 4)
    map.set('b', 4)
    map.set('b', 11)

    expect(kept(map)).toBe('a')
  })

  it('keeps the last one, whatever it takes, if told to', () => {
    const map = new LruMap<string, number>({ maxSize: 10, sizeOf: value => value, keepsLast: true })
    map.set('a', 4)
    map.set('b', 11)
    expect(kept(map)).toBe('b')
    map.set('c', 4)
    expect(kept(map)).toBe('c')
  })

  it('says what goes because there is too much, and not what was deleted or replaced', () => {
    const dropped: string[] = []
    const map = new LruMap<string, string>({
      maxSize: 3,
      sizeOf: ({ length }) => length,
      onDrop: value => { dropped.push(value) }
    })
    map.set('a', 'a')
    map.set('b', 'b')
    map.set('b', 'B')
    map.set('c', 'c')
    map.delete('c')
    expect(dropped).toEqual([])
    map.set('d', 'dd')
    expect(dropped).toEqual(['a'])
    map.set('e', 'eeee')
    expect(dropped).toEqual(['a', 'eeee'])
  })
})
