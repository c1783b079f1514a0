import type { GatewayComponents, GatewayInit, GatewayLimits } from '../contract.ts'
import type { Format } from '../request/format.ts'
import type { Target } from '../request/target.ts'
import type { Resolved } from '../resolve/resolved.ts'

/** What every kind of response is made from. */
export interface ResponseContext {
  request: Request
  target: Target
  format: Format
  /** Whether `?format` or `Accept` named the format. */
  explicit: boolean
  resolved: Resolved
  components: GatewayComponents
  init: GatewayInit & { limits: GatewayLimits }
  /** Aborted when the client goes away or a limit is met. */
  signal: AbortSignal
}
