import { describe, expect, it } from 'vitest'
import { readAtMost, readTextAtMost } from '../src/read-at-most.ts'

const tooLarge = (): Error => new RangeError('too much')

/** Pieces of one byte, and whether they were closed. */
function endless (): { source: AsyncIterable<Uint8Array>, isClosed: () => boolean } {
  let closed = false

  return {
    source: (async function * () {
      try {
        for (;;) {
          yield Uint8Array.of(1)
        }
      } finally {
        closed = true
      }
    })(),
    isClosed: () => closed
  }
}

describe('a stream that is read', () => {
  it('may have as many bytes as it is told, in any number of pieces', async () => {
    expect(await readAtMost([Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)], 3, tooLarge))
      .toEqual(Uint8Array.of(1, 2, 3))
    expect(await readAtMost([], 0, tooLarge)).toHaveLength(0)
  })

  it('is not copied if it is in one piece', async () => {
    const piece = Uint8Array.of(1, 2)

    expect(await readAtMost([piece], 2, tooLarge)).toBe(piece)
  })

  it('refuses more, and is closed', async () => {
    const { source, isClosed } = endless()

    await expect(readAtMost(source, 100, tooLarge)).rejects.toMatchObject({ name: 'RangeError' })
    expect(isClosed()).toBe(true)
  })

  it('may be a text, whose characters are in several pieces', async () => {
    const bytes = new TextEncoder().encode('größer')

    expect(await readTextAtMost([bytes.subarray(0, 3), bytes.subarray(3)], 100, tooLarge)).toBe('größer')
  })
})
