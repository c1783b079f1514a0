import { formatDuration, formatRatio, formatSpeed } from './format.ts'
import { colour } from './terminal.ts'
import type { Row } from './estimate.ts'
import type { Terminal } from './terminal.ts'

interface Column {
  head: string
  unit?: string
  left?: true
  cell: (row: Row) => string
}

const CODEC: Column = { head: 'CODEC', left: true, cell: row => row.codec }
const LEVEL: Column = { head: 'LEVEL', cell: row => String(row.level ?? '-') }
const LABEL: Column = { head: 'CODEC', left: true, cell: row => row.label }
const RUNS: Column = { head: 'RUNS', left: true, cell: row => row.implementation ?? '-' }

const FIGURES: readonly Column[] = [
  // ~: measured on less than the others
  { head: 'RATIO', cell: row => `${row.partial ? '~' : ''}${formatRatio(row.ratio)}` },
  { head: 'COMPRESS', unit: 'MB/s', cell: row => formatSpeed(row.compress) },
  { head: 'DECOMPRESS', unit: 'MB/s', cell: row => formatSpeed(row.decompress) },
  { head: '10', unit: 'Mbit/s', cell: row => formatDuration(row.seconds['10 Mbit/s']) },
  { head: '100', unit: 'Mbit/s', cell: row => formatDuration(row.seconds['100 Mbit/s']) },
  { head: '1', unit: 'Gbit/s', cell: row => formatDuration(row.seconds['1 Gbit/s']) }
]

const [RATIO, COMPRESS, , , USUAL_LINK] = FIGURES

/** From wide to narrow. The first that fits the terminal is shown. */
const LAYOUTS: ReadonlyArray<{ columns: readonly Column[], gap: number }> = [
  { columns: [CODEC, LEVEL, RUNS, ...FIGURES], gap: 3 },
  { columns: [CODEC, LEVEL, RUNS, ...FIGURES], gap: 2 },
  { columns: [CODEC, LEVEL, ...FIGURES], gap: 2 },
  { columns: [LABEL, ...FIGURES], gap: 2 },
  { columns: [LABEL, ...FIGURES], gap: 1 },
  { columns: [LABEL, RATIO, COMPRESS, USUAL_LINK], gap: 2 }
]

/** Two lines of headings, then a line for each row. */
export function rowsTable (rows: readonly Row[], chosen: Row, terminal: Terminal): string[] {
  const drawn = LAYOUTS.map(({ columns, gap }) => draw(columns, rows, gap))
  const lines = drawn.find(lines => lines.every(line => line.length <= terminal.width)) ?? drawn[drawn.length - 1]

  return lines.map((line, i) => {
    const row = rows[i - 2]

    if (row == null) {
      return colour('dim', line, terminal)
    }

    return row === chosen ? colour(['bold', 'green'], line, terminal) : line
  })
}

function draw (columns: readonly Column[], rows: readonly Row[], gap: number): string[] {
  const cells = [
    columns.map(({ head }) => head),
    columns.map(({ unit }) => unit ?? ''),
    ...rows.map(row => columns.map(({ cell }) => cell(row)))
  ]
  const widths = columns.map((_, column) => Math.max(...cells.map(line => line[column].length)))

  return cells.map(line => line
    .map((cell, column) => columns[column].left === true ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
    .join(' '.repeat(gap))
    .trimEnd())
}
