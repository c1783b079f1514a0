import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { CidStack } from '../src/dag/cid-stack.ts'
import type { StackedCid } from '../src/dag/cid-stack.ts'

/** CIDs of different lengths, which fill several pieces. */
const ITEMS: StackedCid[] = Array.from({ length: 5000 }, (_, i) => ({
  cid: CID.createV1(raw.code, identity.digest(Buffer.from(`${i}`.repeat(i % 9)))),
  number: i,
  flag: i % 3 === 0
}))

describe('CidStack', () => {
  it('gives back from its top, and from its bottom, what was pushed', () => {
    const stack = new CidStack()
    const expected: StackedCid[] = []

    for (const [i, item] of ITEMS.entries()) {
      stack.push(item)
      expected.push(item)

      if (i % 4 === 1) {
        expect(stack.peekFirstNumber()).toBe(expected[0].number)
        expect(stack.shift()).toEqual(expected.shift())
      } else if (i % 4 === 3) {
        expect(stack.peekNumber()).toBe(expected.at(-1)?.number)
        expect(stack.pop()).toEqual(expected.pop())
      }
    }

    while (expected.length > 0) {
      expect(stack.shift()).toEqual(expected.shift())
      expect(expected.length === 0 ? undefined : stack.pop()).toEqual(expected.pop())
    }

    expect(stack.isEmpty).toBe(true)
    expect(stack.peekNumber()).toBeUndefined()
    expect(stack.peekFirstNumber()).toBeUndefined()
    expect(() => stack.shift()).toThrow('empty')
    expect(() => stack.pop()).toThrow('empty')
  })
})
