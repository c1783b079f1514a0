import type { S3Credentials } from '../contract.ts'
import type { S3Subject } from '../errors.ts'
import type { S3Request } from './attempt.ts'
import type { Endpoints } from './endpoints.ts'
import type { Settings } from './settings.ts'
import type { TimeBudget } from './time-budget.ts'

/** One request, and what its attempts have shown so far. */
export interface Sending {
  readonly request: S3Request
  readonly bucket: string
  readonly settings: Settings
  readonly endpoints: Endpoints
  /** Of the last attempt. */
  endpoint: string
  /** Of the last attempt. */
  credentials: S3Credentials
  /** The time that the last attempt was signed with. */
  date: Date
  /** How often it was sent. */
  attempts: number
  /** How many of these stalled. */
  stalls: number
  readonly budget: TimeBudget
  /** Endpoints that failed it. */
  readonly avoid: Set<string>
  /** Open a new connection: one that was kept turned out to be closed, or the request must be sent only once. */
  fresh: boolean
  clockCorrected: boolean
  credentialsDropped: boolean
}

/** Who is asked for what, for messages. */
export function subjectOf ({ bucket, request, endpoint, attempts }: Sending): S3Subject {
  return { operation: request.operation, bucket, key: request.key, endpoint, attempts }
}
