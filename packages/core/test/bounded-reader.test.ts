import { describe, expect, it } from 'vitest'
import { BoundedReader, FilesBudget } from '../src/write/bounded-reader.ts'
import { Budget } from '../src/util/budget.ts'
import { chunked, FRAME, text } from './fixtures.ts'

async function settle (): Promise<void> {
  await new Promise(resolve => { setImmediate(resolve) })
}

describe('a byte budget', () => {
  it('grants room in order, and an oversized request once nothing is taken', async () => {
    const budget = new Budget(10)
    const order: string[] = []
    await budget.take(100)

    const waiting = [['a', 6], ['b', 5], ['c', 1]].map(async ([name, bytes]) => {
      await budget.take(bytes as number)
      order.push(name as string)
    })

    await settle()
    expect(order).toEqual([])
    budget.give(100)
    await settle()
    // c would fit beside a, but waits behind b
    expect(order).toEqual(['a'])
    budget.give(6)
    await Promise.all(waiting)
    expect(order).toEqual(['a', 'b', 'c'])
  })

  it('stops waiting if the signal aborts, and serves the waiters behind it', async () => {
    const budget = new Budget(10)
    const controller = new AbortController()
    await budget.take(8)
    const first = budget.take(5, controller.signal)
    const second = budget.take(2)
    controller.abort()

    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    await second
    await expect(budget.take(1, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a bounded reader', () => {
  it('reads small files without waiting', async () => {
    const budget = new FilesBudget(2)
    const readers = Array.from({ length: 10 }, () => new BoundedReader(chunked(text(1000), 300), budget))
    const pieces = await Promise.all(readers.map(async reader => reader.read(FRAME)))

    expect(pieces.every(piece => piece.byteLength === 1000)).toBe(true)
  })

  it('returns its room to the budget when it is closed, whatever was read', async () => {
    const budget = new FilesBudget(2 * FRAME)

    for (const pieces of [0, 1, 2, 2]) {
      const reader = new BoundedReader(chunked(text(3 * FRAME), 5000), budget)

      for (let i = 0; i < pieces; i++) {
        expect(await reader.read(FRAME)).toHaveLength(FRAME)
      }

      reader.close()
    }

    await budget.first.take(FRAME)
    await budget.later.take(FRAME)
  })

  it('returns the room of a part of a piece once that is released, and of the others when it is closed', async () => {
    const budget = new FilesBudget(2 * FRAME)
    const reader = new BoundedReader(text(3 * FRAME), budget)
    await reader.read(FRAME)
    const parts = reader.split(await reader.read(FRAME), FRAME / 4)

    expect(parts.map(({ byteLength }) => byteLength)).toEqual(Array(4).fill(FRAME / 4))
    reader.release(parts[1])
    await budget.later.take(FRAME / 4)
    await expect(budget.later.take(1, AbortSignal.timeout(1))).rejects.toMatchObject({ name: 'TimeoutError' })
    reader.close()
    await budget.later.take(FRAME * 3 / 4)
  })
})
