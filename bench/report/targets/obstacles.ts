import { isUnreached } from './target.ts'
import { blockObstacles } from './block-obstacles.ts'
import { localObstacles } from './local-obstacles.ts'
import { networkObstacles } from './network-obstacles.ts'
import { targets } from './targets.ts'
import type { Results } from '../rows.ts'

const OBSTACLES = [...localObstacles, ...networkObstacles, ...blockObstacles]

/** What keeps the targets that were missed from being reached: a line each. */
export function obstacles (results: Results): string[] {
  const missed = missedTargets(results)

  return OBSTACLES.filter(({ of }) => missed.some(name => of.test(name))).flatMap(({ lines }) => lines(results))
}

/** The names of missed targets of which no line says what stands in the way. */
export function unexplained (results: Results): string[] {
  const explaining = OBSTACLES.filter(({ lines }) => lines(results).length > 0)

  return missedTargets(results).filter(name => !explaining.some(({ of }) => of.test(name)))
}

function missedTargets (results: Results): string[] {
  return targets(results).filter(isUnreached).map(({ what }) => String(what))
}
