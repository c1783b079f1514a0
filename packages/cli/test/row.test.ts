import { describe, expect, it } from 'vitest'
import { alignedRow, cidCell, phraseCell, sizeCell, sizeHeading, tabbedRow, wordCell } from '../src/terminal/row.ts'
import { pairs, table } from '../src/terminal/table.ts'

const CID = `b${'a'.repeat(58)}`

/** The column in the last line of a text in which a word begins. */
function columnOf (text: string, word: string): number {
  return text.split('\n').at(-1)?.indexOf(word) ?? -1
}

describe('a row', () => {
  it('has tabs between its cells for scripts, and no padding', () => {
    expect(tabbedRow([CID, sizeCell(10), sizeCell(undefined), wordCell('zstd', 6), 'a b']))
      .toBe(`${CID}\t10\t-\tzstd\ta b`)
    expect(tabbedRow([sizeCell(10_000), phraseCell('2 files, 1 MiB', [2, 1_048_576n])])).toBe('10000\t2\t1048576')
    expect(tabbedRow([sizeCell(10_000), phraseCell('2 files, 1 MiB', [2, 1_048_576n])], true))
      .toBe('9.77 KiB\t2 files, 1 MiB')
  })

  it('aligns sizes at their end, and words at their beginning', () => {
    const rows = [[10, 'zstd'], [100_000, 'brotli']] as const
    const lines = rows.map(([size, codec]) => alignedRow([sizeCell(size), wordCell(codec, 6), 'name'], 79))

    expect(lines).toEqual(['    10 B  zstd    name', '97.7 KiB  brotli  name'])
  })

  it('goes on below a CID that leaves no room, as a line that can be copied', () => {
    expect(alignedRow([CID, sizeCell(10), 'name'], 39)).toBe(`${CID}\n      10 B  name`)
    expect(alignedRow([CID, 'pinned'], 79)).toBe(`${CID}  pinned`)
  })

  it.each([20, 30, 39, 50, 60])('loses no cell: %d columns', width => {
    const words = ['10 B', '20 B', 'zstd', '0644', '-', 'name']
    const row = alignedRow(
      [CID, sizeCell(10), sizeCell(20), wordCell('zstd', 6), wordCell('0644', 4), wordCell('-', 20), 'name'],
      width
    )

    expect(row.split('\n').slice(1).join(' ').split(/ {2,}/).filter(word => word !== '').map(word => word.trim()))
      .toEqual(words)
  })

  it.each([200, 79, 64])('has its heading above its column, below a plain and a marked CID: %d columns', width => {
    const cells = [sizeCell(100_000), 'name']
    const heading = alignedRow([cidCell('CID'), sizeHeading('STORED'), 'NAME'], width)
    const rows = [CID, `${CID}${'a'.repeat(5)}`].map(cid => alignedRow([cidCell(cid), ...cells], width))
    expect(rows.map(row => columnOf(row, 'name'))).toEqual([columnOf(heading, 'NAME'), columnOf(heading, 'NAME')])
  })

  it('is broken between words where a cell is longer than a line', () => {
    expect(alignedRow([CID, 'no longer pinned: the next ipfsz gc deletes its blocks'], 39)).toBe([
      CID,
      '  no longer pinned: the next ipfsz gc',
      '  deletes its blocks'
    ].join('\n'))
  })
})

describe('a table', () => {
  const rows = [['Codec', 'Blocks', 'Size'], ['zstd', '100', '1.00 MiB'], ['漢', '1', '10 B']]

  it('has columns as wide as their cells', () => {
    expect(table(rows, Infinity)).toBe('Codec  Blocks  Size\nzstd   100     1.00 MiB\n漢     1       10 B')
  })

  it('loses space before it becomes a list', () => {
    expect(table(rows, 21)).toBe('Codec Blocks Size\nzstd  100    1.00 MiB\n漢    1      10 B')
    expect(table(rows, 20)).toBe('zstd\n  Blocks  100\n  Size    1.00 MiB\n漢\n  Blocks  1\n  Size    10 B')
  })

  it('has values below their labels where both do not fit', () => {
    expect(pairs([['Plain CID', CID], ['Type', 'file']], 39)).toBe(`Plain CID\n${CID}\nType       file`)
  })
})
