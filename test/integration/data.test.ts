import { describe, expect, it } from 'vitest'
import { longText, textPieces } from './data.ts'

const MIB = 1024 * 1024

describe('the pieces of a text', () => {
  it('are those of the long text', () => {
    const [first, second] = [...textPieces(1).take(2)]

    expect(Buffer.concat([first, second]).equals(longText(2 * MIB, 1))).toBe(true)
  })
})
