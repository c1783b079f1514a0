import { columnsOf } from './columns.ts'
import { formatSize } from './units.ts'
import { wrap } from './wrap.ts'

/**
 * What a line of a list consists of. A list is printed line by line, so each column has the width that is usual.
 * A `long` cell has a line of its own where it leaves no room for the others, as a string has. `plain` is what scripts
 * get: numbers without units, and no spaces.
 */
export type Cell = string | { text: string, width: number, plain?: string, right?: true, long?: true }

const GAP = '  '
const INDENT = '  '
/** Columns of the longest size, such as `1023 KiB`. */
const SIZE_WIDTH = 8
/** Columns of a marked CID. A plain one is shorter. */
const CID_WIDTH = 64

/** A CID in a list of plain and marked ones. */
export function cidCell (text: string): Cell {
  return { text, width: CID_WIDTH, long: true }
}

/** The heading of a column of sizes. */
export function sizeHeading (text: string): Cell {
  return { text, width: SIZE_WIDTH, right: true }
}

/** A size, or `-` if it is unknown. */
export function sizeCell (bytes: number | bigint | undefined): Cell {
  return bytes == null
    ? { text: '-', width: SIZE_WIDTH, right: true }
    : { text: formatSize(bytes), width: SIZE_WIDTH, plain: String(bytes), right: true }
}

/** A size in a sentence or a list of labels. */
export function sizeText (bytes: number | bigint): Cell {
  return { text: `${bytes} bytes (${formatSize(bytes)})`, width: 0, plain: String(bytes) }
}

/** Printed as one phrase on terminals, such as `2 files, 1 MiB`, and as columns in pipes. */
export function phraseCell (text: string, columns: ReadonlyArray<string | number | bigint>): Cell {
  return { text, width: 0, plain: columns.join('\t') }
}

/** One of a few words of at most this many columns, such as the name of a codec. */
export function wordCell (text: string, width: number): Cell {
  return { text, width }
}

/** A time such as `2026-01-31T12:00:00.000Z`, or the heading of a column of times. */
export function timeCell (text: string): Cell {
  return wordCell(text, 24)
}

/**
 * A line for scripts: cells with tabs between them.
 *
 * @param human - whether sizes have units, as for people
 */
export function tabbedRow (cells: readonly Cell[], human = false): string {
  return cells.map(cell => human || typeof cell === 'string' ? textOf(cell) : cell.plain ?? cell.text).join('\t')
}

/**
 * A line for people, with its columns aligned. If it is longer than a line of the terminal, it goes on below, and is
 * broken only between cells and words. What is longer than a line, such as a CID, has a line of its own, so that it
 * can be copied: a CID at the beginning then stands below the others, because people look for the name.
 *
 * @param width - columns of the terminal that may be used
 */
export function alignedRow (cells: readonly Cell[], width: number): string {
  const whole = cells.map(pad).join(GAP).trimEnd()

  if (columnsOf(whole) <= width) {
    return whole
  }

  const [first, ...others] = cells

  if (typeof first === 'object' && first.long === true) {
    return [...wrapped(others, width), ...below(first, width, false)].map(line => line.trimEnd()).join('\n')
  }

  return wrapped(cells, width).map(line => line.trimEnd()).join('\n')
}

/** Cells in lines. A string at the beginning gets its own line, so that the cells after it are aligned. */
function wrapped (cells: readonly Cell[], width: number): string[] {
  const lines: string[] = []
  const isLong = typeof cells[0] === 'string'

  for (const cell of cells) {
    const last = lines.at(-1)
    const line = `${last ?? ''}${GAP}${pad(cell)}`

    if (last != null && (lines.length > 1 || !isLong) && columnsOf(line) <= width) {
      lines[lines.length - 1] = line
    } else {
      lines.push(...below(cell, width, lines.length === 0))
    }
  }

  return lines
}

/** The lines of a cell that begins a new line. */
function below (cell: Cell, width: number, isFirst: boolean): string[] {
  const indent = isFirst ? '' : INDENT

  return columnsOf(textOf(cell)) + indent.length <= width
    ? [`${indent}${pad(cell)}`]
    : wrap(textOf(cell), width - indent.length).split('\n')
      .map(line => columnsOf(line) + indent.length <= width ? `${indent}${line}` : line)
}

export function textOf (cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

function pad (cell: Cell): string {
  if (typeof cell === 'string') {
    return cell
  }

  const space = ' '.repeat(Math.max(0, cell.width - columnsOf(cell.text)))

  return cell.right === true ? `${space}${cell.text}` : `${cell.text}${space}`
}
