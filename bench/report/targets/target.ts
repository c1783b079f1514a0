import { rounded } from '../../benchmark.ts'
import type { Row } from '../../benchmark.ts'

/** What this machine can do at most, or needs at least, without anything of IPFSz. */
const LIMIT = 'the limit here'

const UNREACHED = '**no**'

/**
 * A target that is reached by at least so much.
 *
 * @param measured - undefined if it was not measured
 * @param limit - the same figure of the codec, the hash and the store alone, undefined if that was not measured
 */
export function atLeast (what: string, target: number, measured: number | undefined, limit?: number): Row {
  const share = measured == null || limit == null ? undefined : measured / limit

  return toRow(what, `at least ${rounded(target)}`, measured, measured != null && measured >= target, limit, share)
}

/** A target that is reached by at most so much. See `atLeast`. */
export function atMost (what: string, target: number, measured: number | undefined, limit?: number): Row {
  const share = measured == null || limit == null ? undefined : limit / measured

  return toRow(what, `at most ${rounded(target)}`, measured, measured != null && measured <= target, limit, share)
}

function toRow (
  what: string,
  target: string,
  measured: number | undefined,
  reached: boolean,
  limit: number | undefined,
  share: number | undefined
): Row {
  return {
    what,
    target,
    measured: measured == null ? 'not measured' : Number(measured.toPrecision(3)),
    reached: measured == null ? '-' : reached ? 'yes' : UNREACHED,
    [LIMIT]: limit == null ? '-' : Number(limit.toPrecision(3)),
    'share of it': share == null ? '-' : rounded(share)
  }
}

/** Whether a target was measured, and missed. */
export function isUnreached ({ reached }: Row): boolean {
  return reached === UNREACHED
}
