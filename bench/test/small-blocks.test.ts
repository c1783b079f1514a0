import { describe, expect, it } from 'vitest'
import { cutPieces } from '../support/small-blocks.ts'

describe('cutPieces', () => {
  it('spreads the pieces from the first byte to the last', () => {
    const file = Uint8Array.from({ length: 100 }, (_, i) => i)

    expect(
      cutPieces(file, 10, 4).map(piece => [piece[0], piece.byteLength])
    ).to.deep.equal([[0, 10], [30, 10], [60, 10], [90, 10]])
  })

  it('cuts a single piece as large as the file', () => {
    expect(cutPieces(new Uint8Array(10), 10, 1)).to.deep.equal([new Uint8Array(10)])
  })
})
