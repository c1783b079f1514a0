import { gatewayWorst } from '../gateway.ts'
import { atLeast, atMost } from './target.ts'
import type { Row } from '../../benchmark.ts'
import type { Results } from '../rows.ts'

const FILES = 'serve files of 100 KB and more as they are stored'

/** The gateway against Kubo's. */
export function serveTargets (results: Results): Row[] {
  const served = gatewayWorst(results)

  return [
    atLeast(`${FILES}: times the rate of Kubo's gateway`, 1, served.rate),
    atMost(`${FILES}: times Kubo's processor time`, 1, served.cpu)
  ]
}
