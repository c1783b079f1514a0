import { columnsOf } from './columns.ts'
import { withLabel } from './with-label.ts'

/** Between columns, from wide to narrow. */
const GAPS = ['  ', ' ']
/** Between the longest label and the values. */
const LABEL_GAP = '  '

/**
 * Format rows as a table. The first row has the headings; each column is as wide as its longest cell. A table that is
 * wider than the terminal becomes a list: the first cell of each row, and below it the others with their headings.
 *
 * @param width - columns that may be used, Infinity if it is not for a terminal
 */
export function table (rows: readonly string[][], width: number): string {
  const drawn = GAPS.map(gap => draw(rows, gap))

  return (drawn.find(lines => lines.every(line => columnsOf(line) <= width)) ?? records(rows, width)).join('\n')
}

/** Format labels and their values, one pair a line. A value that does not fit beside its label stands below it. */
export function pairs (rows: ReadonlyArray<readonly [string, string]>, width: number): string {
  const widest = Math.max(...rows.map(([label]) => columnsOf(label)))

  return rows.flatMap(([label, value]) => withLabel(`${label.padEnd(widest)}${LABEL_GAP}`, value, width)).join('\n')
}

function draw (rows: readonly string[][], gap: string): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => columnsOf(row[column]))))

  return rows.map(row => row
    .map((cell, column) => `${cell}${' '.repeat(widths[column] - columnsOf(cell))}`)
    .join(gap)
    .trimEnd())
}

function records ([headings, ...rows]: readonly string[][], width: number): string[] {
  return rows.flatMap(([name, ...cells]) => [
    name,
    ...pairs(cells.map((cell, i) => [`  ${headings[i + 1]}`, cell] as const), width).split('\n')
  ])
}
