import { answer } from './answer.ts'
import { DEFAULT_PATH_TIME } from './dag/path-limit.ts'
import { GatewayError } from './errors.ts'
import { followSignal } from './follow-signal.ts'
import { ClientMemory } from './memory/client-memory.ts'
import { MemoryBudget } from './memory/memory-budget.ts'
import { matchesIfMatch } from './request/conditions.ts'
import { reportFailure, respondError } from './respond/error.ts'
import { addressOf, clientOf } from './client.ts'
import { preflight } from './respond/headers.ts'
import type { Settings } from './answer.ts'
import type { Gateway, GatewayInit, GatewayLimits } from './contract.ts'
import type { PathComponents } from './resolve/resolve-path.ts'
import type { GatewayParts } from './respond/context.ts'

/** Defaults of `GatewayLimits`. Times are in milliseconds, sizes in bytes. */
export const DEFAULT_STALL_TIMEOUT = 60_000
export const DEFAULT_START_TIMEOUT = 60_000
export const DEFAULT_LISTED_ENTRIES = 10_000
export const DEFAULT_DECOMPRESSED_BYTES = 64 * 1024 ** 3
export const DEFAULT_HELD_BYTES = 256 * 1024 ** 2

export function assembleGateway (components: PathComponents, init: GatewayInit, parts: GatewayParts): Gateway {
  const limits = limitsOf(init.limits)
  const settings = { ...init, limits, memory: MemoryBudget.of(limits.heldBytes), parts }

  const respond = async (request: Request): Promise<Response> => {
    try {
      return answerMethod(request) ?? await checkIfMatch(request, await answerInTime(request, components, settings))
    } catch (err) {
      reportFailure(err, request, init)

      return respondError(err, request)
    }
  }

  return async request => {
    const response = await respond(request)
    parts.addCors?.(response.headers)

    return response
  }
}

/**
 * Refuse what `If-Match` does not name: it goes before `If-None-Match` and ranges (RFC 9110, section 13.2.2). Failures
 * have no ETag.
 *
 * @throws {GatewayError} 412
 */
async function checkIfMatch (request: Request, response: Response): Promise<Response> {
  const { headers, body } = response
  const etag = headers.get('etag')

  if (etag == null || matchesIfMatch(request.headers.get('if-match'), etag, headers.has('content-encoding'))) {
    return response
  }

  await body?.cancel()
  throw new GatewayError(412, `It has the ETag ${etag}, which If-Match does not name`)
}

function limitsOf (limits: Partial<GatewayLimits> = {}): GatewayLimits {
  return {
    stallTimeout: limits.stallTimeout ?? DEFAULT_STALL_TIMEOUT,
    startTimeout: limits.startTimeout ?? DEFAULT_START_TIMEOUT,
    pathTime: limits.pathTime ?? DEFAULT_PATH_TIME,
    listedEntries: limits.listedEntries ?? DEFAULT_LISTED_ENTRIES,
    decompressedBytes: limits.decompressedBytes ?? DEFAULT_DECOMPRESSED_BYTES,
    heldBytes: limits.heldBytes ?? DEFAULT_HELD_BYTES
  }
}

function answerMethod ({ method }: Request): Response | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return undefined
    case 'OPTIONS':
      return preflight()
    default:
      throw new GatewayError(405, `The method ${method} is not allowed`)
  }
}

/** Answer a request, or fail after `startTimeout`. The body has its own time limit. */
async function answerInTime (request: Request, components: PathComponents, settings: Settings): Promise<Response> {
  const { startTimeout } = settings.limits
  const init = { ...settings, memory: new ClientMemory(settings.memory, clientOf(addressOf(request))) }
  const unwanted = followSignal(request.signal)
  const { signal } = unwanted
  const timer = setTimeout(() => {
    unwanted.abort(new GatewayError(504, `The response did not start within ${startTimeout} ms`))
  }, startTimeout)
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = (): void => { reject(signal.reason) }

  signal.addEventListener('abort', stop)

  try {
    return await Promise.race([answer(request, components, init, signal), stopped])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
