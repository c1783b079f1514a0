import { median, rounded, sum } from '../../benchmark.ts'
import { PHASES } from './trial.ts'
import type { Row } from '../../benchmark.ts'
import type { Outcome } from './messages.ts'
import type { Side } from './side.ts'
import type { Measured, Objects } from './trial.ts'

const KIB = 1024

/** The reads that are told apart by whether the node that was asked had written the object, in rows of their own. */
const TOLD_APART = 'read in the site'
const BY_WRITER = `${TOLD_APART}, by the node that wrote it`
const BY_ANOTHER = `${TOLD_APART}, by another node`

/** What rows are about, in the order of the tables. */
export const ROW_NAMES: readonly string[] = PHASES.flatMap(
  phase => phase === TOLD_APART ? [phase, BY_WRITER, BY_ANOTHER] : [phase]
)

export interface RowInit {
  side: Side
  objects: Objects
  /** In all rounds. */
  measured: readonly Measured[]
  /** The bytes that an object is stored in. */
  storedSize: number
  /** When, and with what. */
  when: string
}

/** One row for each phase, and two more for reads in the site. */
export function toRows (init: RowInit): Row[] {
  return PHASES.flatMap(phase => {
    const measured = init.measured.filter(one => one.phase === phase)
    const outcomes = measured.flatMap(one => one.outcomes)
    const rows = toRow(phase, outcomes, init, sum(measured.map(one => one.bytes)))

    return phase !== TOLD_APART ? rows : [
      ...rows,
      ...toRow(BY_WRITER, outcomes.filter(({ byWriter }) => byWriter === true), init),
      ...toRow(BY_ANOTHER, outcomes.filter(({ byWriter }) => byWriter === false), init)
    ]
  })
}

/** @param bytes - between sites, if it is known of these objects alone */
function toRow (
  phase: string,
  outcomes: readonly Outcome[],
  { side, objects, storedSize, when }: RowInit,
  bytes?: number
): Row[] {
  const failures = outcomes.flatMap(({ failure }) => failure == null ? [] : [failure])
  const seconds = outcomes.filter(({ failure }) => failure == null).map(({ wall }) => wall / 1000)
  const each = bytes == null ? undefined : bytes / outcomes.length

  if (outcomes.length === 0) {
    return []
  }

  return [{
    side: side.name,
    object: `${objects.size / KIB} KiB ${objects.compressible ? 'of text' : 'of noise'}`,
    phase,
    objects: outcomes.length,
    'seconds, median': seconds.length === 0 ? '-' : rounded(median(seconds)),
    slowest: seconds.length === 0 ? '-' : rounded(Math.max(...seconds)),
    // of many at a time, they say how busy the processors were
    'ms, each object': objects.atATime > 1
      ? '-'
      : outcomes.map(({ wall, failure }) => failure == null ? Math.round(wall) : 'failed').join(' '),
    'MB between sites, of 100 objects': each == null ? '-' : rounded(each * 100 / 1e6),
    'times the bytes stored': each == null || phase !== 'read from another site' ? '-' : rounded(each / storedSize),
    failed: failures.length === 0 ? '' : `${failures.length} of ${outcomes.length}: ${failures[0]}`,
    measured: when
  }]
}
