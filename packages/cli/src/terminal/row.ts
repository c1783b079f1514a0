import { columnsOf } from './columns.ts'
import { formatSize } from './units.ts'
import { wrap } from './wrap.ts'

/**
 * What a line of a list consists of. A list is printed line by line, so each column has the width that is usual.
 * A `long` cell has a line of its own where it leaves no room for the others, as a string has.
 */
export type Cell = string | { text: string, width: number, right?: true, long?: true }

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
  return { text: bytes == null ? '-' : formatSize(bytes), width: SIZE_WIDTH, right: true }
}

/** One of a few words of at most this many columns, such as the name of a codec. */
export function wordCell (text: string, width: number): Cell {
  return { text, width }
}

/** A time such as `2026-01-31T12:00:00.000Z`, or the heading of a column of times. */
export function timeCell (text: string): Cell {
  return wordCell(text, 24)
}

/** A line for scripts: cells with tabs between them. */
export function tabbedRow (cells: readonly Cell[]): string {
  return cells.map(textOf).join('\t')
}

/**
 * A line for people, with its columns aligned. If it is longer than a line of the terminal, it goes on below, and is
 * broken only between cells and words. What is longer than a line, such as a CID, has a line of its own, so that it
 * can be copied.
 *
 * @param width - columns of the terminal that may be used
 */
export function alignedRow (cells: readonly Cell[], width: number): string {
  const whole = cells.map(pad).join(GAP).trimEnd()

  if (columnsOf(whole) <= width) {
    return whole
  }

  const lines: string[] = []
  const isLong = typeof cells[0] === 'string' || cells[0]?.long === true

  for (const cell of cells) {
    const last = lines.at(-1)
    const line = `${last ?? ''}${GAP}${pad(cell)}`

    // a CID or a path at the beginning has a line of its own, so that the cells after it are aligned
    if (last != null && (lines.length > 1 || !isLong) && columnsOf(line) <= width) {
      lines[lines.length - 1] = line
    } else {
      lines.push(...below(cell, width, lines.length === 0))
    }
  }

  return lines.map(line => line.trimEnd()).join('\n')
}

/** The lines of a cell that begins a new line. */
function below (cell: Cell, width: number, isFirst: boolean): string[] {
  const indent = isFirst ? '' : INDENT

  return columnsOf(textOf(cell)) + indent.length <= width
    ? [`${indent}${pad(cell)}`]
    : wrap(textOf(cell), width - indent.length).split('\n')
      .map(line => columnsOf(line) + indent.length <= width ? `${indent}${line}` : line)
}

function textOf (cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

function pad (cell: Cell): string {
  if (typeof cell === 'string') {
    return cell
  }

  const space = ' '.repeat(Math.max(0, cell.width - columnsOf(cell.text)))

  return cell.right === true ? `${space}${cell.text}` : `${cell.text}${space}`
}
