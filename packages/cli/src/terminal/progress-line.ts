import { columnsOf, shorten } from './columns.ts'

const BAR = 20
/** Maximum columns of the host or peer that bytes come from, if there is room, and if there is little or less. */
const HOSTS = [30, 16, 10] as const
/** The fewest columns of a label that is cut to make room for where bytes come from, and where there is little. */
const LABELS = [20, 12] as const
/** Columns in which a label can be cut in the middle. */
const MIN_LABEL = 3

export interface ProgressState {
  label: string
  /** From 0 to 1. Undefined: the total is unknown. */
  part?: number | undefined
  /** Such as `300 MiB of 400 MiB`. */
  amount: string
  /** Such as `30.0 MiB/s`. */
  speed?: string | undefined
  /** What bytes come from, such as a host. */
  from?: string | undefined
  /** Seconds. */
  left?: number | undefined
}

/** Which of the choices a line of that width shows. */
export interface Layout {
  width: number
  choice: number
}

/** What a line shows beside its label, and how many columns the label then needs. Infinity: all of it. */
interface Choice {
  label: number
  parts: string[]
}

/**
 * What is done, on one line that fits. A line that wraps could not be removed again.
 *
 * @param last - the layout of the line before, which showed no less
 */
export function formatProgress (state: ProgressState, width: number, last?: Layout): Layout & { line: string } {
  const { label, part } = state

  return part == null
    ? { ...fit(label, withoutTotal(state), width), choice: 0 }
    : fit(label, withTotal({ ...state, part }), width, last?.width === width ? last.choice : 0)
}

function withoutTotal ({ amount, speed, from }: ProgressState): Choice[] {
  const last = { label: 0, parts: [amount] }

  if (speed == null || from == null) {
    return [{ label: Infinity, parts: speed == null ? [amount] : [amount, speed] }, last]
  }

  const [all, short, shortest] = sources(speed, from)

  return [
    { label: LABELS[0], parts: [amount, all] },
    { label: LABELS[1], parts: [amount, short] },
    { label: 0, parts: [short] },
    { label: 0, parts: [shortest] },
    last
  ]
}

function withTotal ({ part, amount, speed = '', from, left }: ProgressState & { part: number }): Choice[] {
  const full = Math.round(part * BAR)
  const percent = `${Math.floor(part * 100)} %`
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percent}`
  const end = left == null ? [] : [formatTimeLeft(left)]
  const last = { label: 0, parts: [percent, ...end] }

  if (from == null) {
    return [
      { label: Infinity, parts: [bar, amount, speed, ...end] },
      { label: Infinity, parts: [bar, speed, ...end] },
      { label: Infinity, parts: [bar, ...end] },
      last
    ]
  }

  const [all, short, shortest] = sources(speed, from)

  return [
    { label: LABELS[0], parts: [bar, amount, all, ...end] },
    { label: LABELS[0], parts: [bar, all, ...end] },
    { label: LABELS[0], parts: [percent, all, ...end] },
    { label: LABELS[1], parts: [percent, short, ...end] },
    // from where, how fast and how long say more than what the user has typed
    { label: 0, parts: [short, ...end] },
    { label: 0, parts: [shortest, ...end] },
    last
  ]
}

function sources (speed: string, from: string): string[] {
  return HOSTS.map(columns => `${speed} from ${shorten(from, columns)}`)
}

/** The first choice that leaves room for the label, or the last one with a shorter label or none. */
function fit (label: string, choices: readonly Choice[], width: number, from = 0): Layout & { line: string } {
  // in the last column, some terminals wrap
  const room = Math.max(0, width - 1)
  const lines = choices.map(({ parts, ...choice }) => ({ ...choice, text: parts.join('  ') }))
  const fits = ({ text, label: least }: typeof lines[number], i: number): boolean =>
    i >= from && text.length + (least === 0 ? 0 : 2 + Math.min(least, columnsOf(label))) <= room
  const found = lines.findIndex(fits)
  const choice = found === -1 ? lines.length - 1 : found
  const { text } = lines[choice]
  const left = room - text.length - 2
  const shown = left < Math.min(MIN_LABEL, columnsOf(label)) ? '' : `${shorten(label, left)}  `

  return { width, choice, line: `${shown}${text}`.slice(0, room).trimEnd() }
}

/** Seconds, minutes, hours or days, rounded up. */
export function formatTimeLeft (seconds: number): string {
  const units = [[86_400, 'd', 3], [3600, 'h', 3], [60, 'min', 2]] as const
  const [size, name] = units.find(([size, , least]) => seconds > size * least) ?? [1, 's']

  return `${Math.max(0, Math.ceil(seconds / size))} ${name} left`
}
