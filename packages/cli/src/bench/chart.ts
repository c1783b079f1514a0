import { formatSize } from '../terminal/units.ts'
import { formatDuration } from './format.ts'
import { colour } from './terminal.ts'
import type { Row } from './estimate.ts'
import type { Terminal } from './terminal.ts'

/** Characters. Longer bars are no easier to compare. */
const MAX_BAR = 40
const MIN_BAR = 4
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
/**
 * A bar longer than this many times the bar of the uncompressed file is cut and ends in an arrow:
 * otherwise one slow level leaves no room for the others.
 */
const CLIP = 1.25
/** Between the two halves of a line. */
const GAP = '   '

/**
 * A line of headings, then a line for each row with two bars: its stored size, and its time over
 * 100 Mbit/s. On a narrow terminal, only that of the size.
 *
 * @param rows - the uncompressed file first
 * @param size - bytes of all files
 */
export function chart (rows: readonly Row[], chosen: Row, size: number, terminal: Terminal): string[] {
  const mark = terminal.unicode ? '▸' : '>'
  const labels = rows.map(row => `${row === chosen ? mark : ' '} ${row.label}`)
  const sizes = rows.map(row => formatSize(Math.round(row.ratio * size)))
  const times = rows.map(row => formatDuration(row.seconds['100 Mbit/s']))
  const texts = longest(labels) + longest(sizes)
  // a space on each side of a bar
  const room = terminal.width - texts - 2
  const half = Math.floor((room - GAP.length - 2 - longest(times)) / 2)
  const hasTimes = half >= MIN_BAR
  const width = Math.max(MIN_BAR, Math.min(MAX_BAR, hasTimes ? half : room))

  const line = (label: string, ...[first, second]: Array<{ bar: string, text: string }>): string => {
    const left = `${label.padEnd(longest(labels))} ${first.bar} ${first.text.padStart(longest(sizes))}`

    return hasTimes ? `${left}${GAP} ${second.bar} ${second.text.padStart(longest(times))}` : left
  }

  const bars = (value: (row: Row) => number): string[] => {
    const most = Math.min(Math.max(...rows.map(value)), value(rows[0]) * CLIP)

    return rows.map(row => {
      const usual = row.codec === 'none' ? 'dim' : 'cyan'

      return colour(row === chosen ? 'green' : usual, bar(value(row) / most, width, terminal.unicode), terminal)
    })
  }

  const stored = bars(row => row.ratio)
  const seconds = bars(row => row.seconds['100 Mbit/s'])
  const head = line(
    '',
    { bar: fit(['stored'], width), text: '' },
    { bar: fit(['time over 100 Mbit/s', 'at 100 Mbit/s', 'time'], width), text: '' }
  )

  return [
    colour('dim', head.trimEnd(), terminal),
    ...rows.map((row, i) => line(
      row === chosen ? colour(['bold', 'green'], labels[i].padEnd(longest(labels)), terminal) : labels[i],
      { bar: stored[i], text: sizes[i] },
      { bar: seconds[i], text: times[i] }
    ))
  ]
}

/**
 * A bar for a part of the whole, padded with spaces. Any part above 0 shows, and a part above 1 ends
 * in an arrow.
 */
export function bar (part: number, width: number, unicode: boolean): string {
  if (part > 1) {
    return `${(unicode ? '█' : '#').repeat(width - 1)}${unicode ? '▶' : '>'}`
  }

  const steps = unicode ? 8 : 1
  const length = Math.min(width * steps, Math.max(part > 0 ? 1 : 0, Math.round(part * width * steps)))
  const full = unicode ? '█' : '#'

  return (full.repeat(Math.floor(length / steps)) + EIGHTHS[length % steps]).padEnd(width)
}

/** The first text that fits, padded with spaces. */
function fit (texts: readonly string[], width: number): string {
  return (texts.find(text => text.length <= width) ?? '').padEnd(width)
}

function longest (texts: readonly string[]): number {
  return Math.max(...texts.map(text => text.length))
}
