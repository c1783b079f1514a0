import { describe, expect, it } from 'vitest'
import { BufferPool } from '../src/frames/buffer-pool.ts'

describe('a BufferPool', () => {
  it('uses memory again, and whoever kept a part of it has no bytes', () => {
    const pool = new BufferPool(10)
    const first = pool.take(10).fill(7)
    const part = first.subarray(3)
    BufferPool.reclaim(first)

    expect([first.byteLength, part.byteLength]).toEqual([0, 0])
    expect([...new Set(pool.take(10))]).toEqual([7])
    expect([...new Set(pool.take(10))]).toEqual([0])
  })

  it('takes back memory once', () => {
    const pool = new BufferPool(10)
    const first = pool.take(10).fill(7)
    BufferPool.reclaim(first)
    BufferPool.reclaim(first)
    BufferPool.release(first)

    expect([pool.take(10)[0], pool.take(10)[0]]).toEqual([7, 0])
  })

  it('frees what comes back after it was closed', () => {
    const pool = new BufferPool(10)
    const [first, second] = [pool.take(10), pool.take(10)]
    BufferPool.reclaim(first)
    pool.close()
    BufferPool.reclaim(second)

    expect(second.byteLength).toBe(0)
  })

  it('leaves memory from elsewhere alone', () => {
    const bytes = new Uint8Array(10)
    BufferPool.reclaim(bytes)

    expect(bytes.byteLength).toBe(10)
  })
})
