import { median, rounded, sum } from '../../benchmark.ts'
import { PHASES } from './trial.ts'
import type { Row } from '../../benchmark.ts'
import type { Side } from './side.ts'
import type { Measured, Objects } from './trial.ts'

const KIB = 1024

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

/** One row for each phase. */
export function toRows (init: RowInit): Row[] {
  return PHASES.flatMap(phase => toRow(phase, init))
}

function toRow (phase: Measured['phase'], { side, objects, measured: all, storedSize, when }: RowInit): Row[] {
  const measured = all.filter(one => one.phase === phase)
  const outcomes = measured.flatMap(one => one.outcomes)
  const failures = outcomes.flatMap(({ failure }) => failure == null ? [] : [failure])
  const seconds = outcomes.filter(({ failure }) => failure == null).map(({ wall }) => wall / 1000)
  const bytes = sum(measured.map(one => one.bytes)) / outcomes.length

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
    'MB between sites, of 100 objects': rounded(bytes * 100 / 1e6),
    'times the bytes stored': phase === 'read from another site' ? rounded(bytes / storedSize) : '-',
    failed: failures.length === 0 ? '' : `${failures.length} of ${outcomes.length}: ${failures[0]}`,
    measured: when
  }]
}
