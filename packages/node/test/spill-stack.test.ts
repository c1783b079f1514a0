import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SpillStack } from '../src/disk/spill-stack.ts'

interface Value { name: string, link: Uint8Array, mtime: { secs: bigint } }

const value = (
  i: number
): Value => ({ name: `\ud800${'x'.repeat(i % 100)}${i}`, link: Uint8Array.of(i, i >> 8), mtime: { secs: BigInt(-i) } })
const values = (from: number, to: number): Value[] => Array.from({ length: to - from }, (_, i) => value(from + i))

describe('SpillStack', () => {
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-spill-')) })
  afterEach(async () => rm(directory, { recursive: true }))

  it.each([
    0,
    1000,
    100_000,
    10_000_000
  ])('returns what was pushed and leaves no file, with %i bytes in memory', async heldBytes => {
    const stack = new SpillStack<Value>(join(directory, 'file'), { heldBytes })

    for (const value of values(0, 1500)) {
      await stack.push(value)
    }

    expect(await Array.fromAsync(stack.from(0))).toEqual(values(0, 1500))
    await stack.close()
    expect(await readdir(directory)).toEqual([])
  })

  it.each([
    0,
    100,
    1000,
    1_000_000
  ])('pushes and truncates values while it iterates over earlier ones, with %i bytes in memory', async heldBytes => {
    const stack = new SpillStack<Value>(join(directory, 'file'), { heldBytes })

    const walk = async (depth: number): Promise<number> => {
      const start = stack.end
      const below = values(depth * 10, depth * 10 + 5)
      let seen = 0

      for (const value of depth < 4 ? below : []) {
        await stack.push(value)
      }

      for await (const value of stack.from(start)) {
        expect(value).toEqual(below[seen % 5])
        seen++
        await walk(depth + 1)
      }

      expect(seen).toBe(depth < 4 ? 5 : 0)
      stack.truncate(start)

      return seen
    }

    await walk(0)
    expect(stack.end).toBe(0)
    await stack.close()
  })

  it.each([
    0,
    1000,
    70_000,
    1_000_000
  ])('gives the last value first, while others are pushed, with %i bytes in memory', async heldBytes => {
    const stack = new SpillStack<Value>(join(directory, 'file'), { heldBytes })
    const expected: Value[] = []

    for (let i = 0; i < 4000; i++) {
      if (i % 3 === 2) {
        expect(await stack.pop()).toEqual(expected.pop())
      } else {
        expected.push(value(i))
        await stack.push(value(i))
      }
    }

    while (expected.length > 0) {
      expect(await stack.pop()).toEqual(expected.pop())
    }

    expect(await stack.pop()).toBeUndefined()
    await stack.close()
  })

  it('holds a value that is larger than its memory', async () => {
    const stack = new SpillStack<Uint8Array>(join(directory, 'file'), { heldBytes: 1000 })
    const large = new Uint8Array(300_000).fill(7)

    for (const bytes of [Uint8Array.of(1), large, Uint8Array.of(2), large]) {
      await stack.push(bytes)
    }

    expect((await Array.fromAsync(stack.from(0))).map(({ byteLength }) => byteLength)).toEqual([1, 300_000, 1, 300_000])
    await stack.close()
  })
})
