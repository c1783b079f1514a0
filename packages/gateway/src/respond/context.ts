import type { GatewayInit, GatewayLimits } from '../contract.ts'
import type { ChosenFormat, Format } from '../request/format.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
import type { Start } from '../request/start.ts'
import type { Target } from '../request/target.ts'
import type { PathComponents } from '../resolve/resolve-path.ts'
import type { Resolved } from '../resolve/resolved.ts'
import type { Cache } from './cache.ts'
import type { FileTypes } from './file-types.ts'
import type { StoredFiles } from './stored-file.ts'
import type { ToldTypes } from './told-types.ts'

/** Answers with what a path leads to, in one format. */
export type Responder = (context: ResponseContext) => Promise<Response>

/** What a gateway remembers of what never changes, by CID. */
export interface GatewayCaches {
  /** Types of files that were told from their bytes. */
  types: ToldTypes
  /** The pages of directories. */
  pages: Cache<Uint8Array>
}

/** The parts of a gateway that one for browsers alone can do without. */
export interface GatewayParts {
  /** What answers each format. Others are refused with 406. */
  responders: Readonly<Partial<Record<Exclude<Format, 'file' | 'ipns-record'>, Responder>>>
  /** Responds with the start page. Without it, `/` is not found. */
  respondStart?: (request: Request, start: Start) => Response
  /** Answers with what is not UnixFS. */
  respondDocument: Responder
  /** Without it, all files are decompressed: browsers tell a worker of no codings that they accept. */
  storedFiles?: StoredFiles
  /** Lets pages of other origins read every response. */
  addCors?: (headers: Headers) => void
  /** Restricts pages on a host name that may be another site's. If not set, the caller does that. */
  addSandbox?: (headers: Headers) => void
  types: FileTypes
  caches: GatewayCaches
}

/** What every kind of response is made from. */
export interface ResponseContext extends ChosenFormat {
  request: Request
  target: Target
  resolved: Resolved
  components: PathComponents
  init: GatewayInit & { limits: GatewayLimits, memory: MemoryBudget, parts: GatewayParts }
  /** Aborted when the client goes away or a limit is met. */
  signal: AbortSignal
}
