import type { GatewayComponents, GatewayInit, GatewayLimits } from '../contract.ts'
import type { ChosenFormat } from '../request/format.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
import type { Target } from '../request/target.ts'
import type { Resolved } from '../resolve/resolved.ts'

/** What every kind of response is made from. */
export interface ResponseContext extends ChosenFormat {
  request: Request
  target: Target
  resolved: Resolved
  components: GatewayComponents
  init: GatewayInit & { limits: GatewayLimits, memory: MemoryBudget }
  /** Aborted when the client goes away or a limit is met. */
  signal: AbortSignal
}
