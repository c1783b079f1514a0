import { columnsOf, DEFAULT_COLUMNS } from './columns.ts'
import { formatSize } from './units.ts'

const INDENT = '  '

/** A version of a name, as `ipfsz log` prints it. */
interface PrintedVersion {
  cid: string
  date: Date
  size: number
  addedSize: number
  pinned: boolean
}

/**
 * Two lines for people about a version: when it was added and its sizes, and its CID. A terminal of 40 columns has
 * room for the first one. A CID that is longer than a line is not indented, so that it can be selected in full.
 *
 * @param columns - of the terminal, if it says
 */
export function versionSummary (
  { cid, date, size, addedSize, pinned }: PrintedVersion,
  columns: number | undefined
): string {
  const width = (columns || DEFAULT_COLUMNS) - 1
  // as the first version that was added with `--base latest` may be
  const news = addedSize === 0 ? 'stored before' : `${formatSize(addedSize)} new`
  const first = `${minuteOf(date)}  ${formatSize(size)}, ${news}`
  const unpinned = 'not pinned'
  const fits = columnsOf(first) + unpinned.length + 2 <= width
  const unpinnedParts = fits ? [`${first}, ${unpinned}`] : [first, `${INDENT}${unpinned}`]

  return [...pinned ? [first] : unpinnedParts, cid.length + INDENT.length <= width ? `${INDENT}${cid}` : cid].join('\n')
}

/** Such as `2026-01-31 12:00`, in the time zone of the machine. */
export function minuteOf (date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}`
}

function two (number: number): string {
  return String(number).padStart(2, '0')
}
