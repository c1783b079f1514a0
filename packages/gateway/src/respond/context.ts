import type { GatewayComponents, GatewayInit, GatewayLimits } from '../contract.ts'
import type { Format } from '../request/format.ts'
import type { Target } from '../request/target.ts'
import type { Resolved } from '../resolve/resolved.ts'
import type { CID } from 'multiformats/cid'

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
  /** What answers stands for, where it is not `resolved.cid`: the directory whose `index.html` is served. For ETags. */
  etagCid?: CID
  /** The name of the file, where it is not the last of the path: `index.html`. For Content-Type. */
  fileName?: string
}
