import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { looksLikeCsv, parseCsv, separatorOf } from '../../examples/web-app/src/page/csv.ts'

describe('the CSV reader of the demo page', () => {
  it('reads quoted cells as in RFC 4180, whatever they hold', () => {
    assert(property(array(array(string(), { minLength: 1 }), {
      minLength: 1
    }), constantFrom(',', '\t'), constantFrom('\n', '\r\n'), (rows, separator, end) => {
      const text = rows.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(separator) + end).join('')

      expect(parseCsv(text, separator, Infinity)).toEqual(rows)
    }))
  })

  it.each([
    ['a,b\nc,d', [['a', 'b'], ['c', 'd']]],
    ['a,b\r\nc,', [['a', 'b'], ['c', '']]],
    [',\n', [['', '']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['"open', [['open']]],
    ['', []]
  ])('reads %j', (text, rows) => {
    expect(parseCsv(text, ',', Infinity)).toEqual(rows)
  })

  it.each([
    ['a,b\n1,2\n', ','],
    ['a;b\n1,5;2,5\n', ';'],
    ['a\tb\n', '\t'],
    ['"a,b,c";d\n', ';'],
    ['alone\n', ','],
    ['', ',']
  ])('finds the separator of %j', (text, separator) => {
    expect(separatorOf(text)).toBe(separator)
  })

  it.each([
    ['a,b\n1,2\n3,4\n', true],
    ['a;b\n1,5;2\n3;4\n5', true],
    ['Dear all,\nthis is a letter, with commas.\nBye\n', false],
    ['one line, and no more', false],
    ['words\nand\nwords\n', false],
    ['', false]
  ])('tells whether %j is a table: %j', (text, table) => {
    expect(looksLikeCsv(text)).toBe(table)
  })

  it('reads no more rows than it is asked for, whatever the text', () => {
    assert(property(string(), text => {
      expect(parseCsv(text, ',', 3).length).toBeLessThanOrEqual(3)
    }))
  })
})
