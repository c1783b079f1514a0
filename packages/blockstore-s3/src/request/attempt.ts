import { encodeKey, encodeRfc3986 } from '../keys.ts'
import { presign, sign } from './sign.ts'
import { exchange } from './transport.ts'
import type { S3Credentials, S3ObjectsInit, S3Operation, S3Validity } from '../contract.ts'
import type { Agent } from 'node:http'
import type { Settings } from './settings.ts'
import type { TimeBudget } from './time-budget.ts'
import type { Answer, Timeouts } from './transport.ts'

export interface S3Request<T = unknown> {
  operation: S3Operation
  method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** With the prefix. Missing for the bucket. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  /** Maximum number of bytes of the answer. */
  maxBytes: number
  /**
   * Read an answer that is no error.
   *
   * @throws {TransportFailure} it was damaged on its way: the request is sent again
   * @throws {AnswerError} it says that a part of the request failed
   * @throws {Error} it is none that S3 gives
   */
  read: (answer: Answer) => T
  signal?: AbortSignal | null | undefined
  /** The store refuses the request later. Its signature is then in the URL, and does not cover the body. */
  validity?: S3Validity | undefined
}

/** An error inside of an answer whose status is one of success. */
export class AnswerError extends Error {
  readonly code: string

  constructor (code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface AttemptOptions {
  bucket: string
  endpoint: string
  settings: Pick<Settings, 'pathStyle' | 'region'>
  credentials: S3Credentials
  date: Date
  agent: Agent
  timeouts: Timeouts
  budget: TimeBudget
  onReceived?: S3ObjectsInit['onReceived']
}

/** Send a request once. Its time, and so its signature, is new each time. */
export async function attempt (
  { method, key, query, headers = {}, body, maxBytes, signal, validity }: S3Request,
  { bucket, endpoint, settings, credentials, date, agent, timeouts, budget, onReceived }: AttemptOptions
): Promise<Answer> {
  const url = makeUrl({ endpoint, bucket, pathStyle: settings.pathStyle, key, query })
  const unsigned = { method, url, headers, body }
  let signed = headers

  if (validity == null) {
    signed = await sign(unsigned, credentials, settings.region, date)
  } else {
    const valid = { date, seconds: validity.seconds }
    url.search = searchOf(await presign(unsigned, credentials, settings.region, valid))
  }

  const sent: Record<string, string> = method === 'PUT' || method === 'POST'
    ? { 'content-length': String(body?.byteLength ?? 0) }
    : {}

  return exchange({
    method, url, headers: { ...signed, ...sent }, body, agent, timeouts, budget, maxBytes, onReceived, signal
  })
}

/** The URL of an object, or of the bucket. */
export function makeUrl ({ endpoint, bucket, pathStyle, key, query = {} }: {
  endpoint: string
  bucket: string
  pathStyle: boolean
  key?: string | undefined
  query?: Record<string, string>
}): URL {
  const url = new URL(endpoint)
  const encoded = key == null ? '' : encodeKey(key)

  if (pathStyle) {
    url.pathname = `/${bucket}${key == null ? '' : `/${encoded}`}`
  } else {
    url.hostname = `${bucket}.${url.hostname}`
    url.pathname = `/${encoded}`
  }

  url.search = searchOf(query)

  return url
}

function searchOf (query: Record<string, string>): string {
  return Object.entries(query).map(([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`).join('&')
}
