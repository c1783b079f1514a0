import { isIdentity, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { GatewayError } from './errors.ts'
import { isOnlyIfCached, isServiceWorkerForNamespace } from './request/conditions.ts'
import { chooseFormat } from './request/format.ts'
import { parseTarget } from './request/target.ts'
import { resolvePath } from './resolve/resolve-path.ts'
import { respondError, statusOf } from './respond/error.ts'
import { addCors, preflight } from './respond/headers.ts'
import { respondUnchanged } from './respond/unchanged.ts'
import { RESPONDERS } from './respond/responders.ts'
import type { Gateway, GatewayComponents, GatewayInit, GatewayLimits } from './contract.ts'
import type { Format } from './request/format.ts'
import type { Target } from './request/target.ts'
import type { Resolved } from './resolve/resolved.ts'
import type { ResponseContext } from './respond/context.ts'

/** Defaults of `GatewayLimits`. Times are in milliseconds, sizes in bytes. */
export const DEFAULT_STALL_TIMEOUT = 60_000
export const DEFAULT_START_TIMEOUT = 60_000
export const DEFAULT_LISTED_ENTRIES = 10_000
export const DEFAULT_DECOMPRESSED_BYTES = 64 * 1024 ** 3

const METHODS = 'GET, HEAD, OPTIONS'

/** The identity CID of no bytes. */
const EMPTY = CID.parse('bafkqaaa')

/**
 * A gateway that serves what `components` read. It has no state but a cache of file types, and never
 * rejects.
 */
export function createGateway (components: GatewayComponents, init: GatewayInit = {}): Gateway {
  const settings = { ...init, limits: limitsOf(init.limits) }
  const guarded = guardNames(components, init)

  return async request => {
    try {
      const early = answerMethod(request)

      return early ?? await answerInTime(request, guarded, settings)
    } catch (err) {
      return respondError(err, request)
    }
  }
}

type Settings = ResponseContext['init']

function limitsOf (limits: Partial<GatewayLimits> = {}): GatewayLimits {
  return {
    stallTimeout: limits.stallTimeout ?? DEFAULT_STALL_TIMEOUT,
    startTimeout: limits.startTimeout ?? DEFAULT_START_TIMEOUT,
    listedEntries: limits.listedEntries ?? DEFAULT_LISTED_ENTRIES,
    decompressedBytes: limits.decompressedBytes ?? DEFAULT_DECOMPRESSED_BYTES
  }
}

/** Components whose names lead only to roots that are served. Nothing below another root is read. */
function guardNames (components: GatewayComponents, init: GatewayInit): GatewayComponents {
  const { names } = components

  if (names == null) {
    return components
  }

  return {
    fs: components.fs,
    blocks: components.blocks,
    names: {
      resolve: async (name, options) => {
        const resolved = await names.resolve(name, options)
        await checkServed(resolved.cid, init)

        return resolved
      },
      ...names.record == null ? {} : { record: names.record.bind(names) }
    }
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
      return new Response(`The method ${method} is not allowed\n`, {
        status: 405,
        headers: addCors(new Headers({ allow: METHODS, 'content-type': 'text/plain; charset=utf-8' }))
      })
  }
}

/** Answer a request, or fail after `startTimeout`. The body has its own time limit. */
async function answerInTime (request: Request, components: GatewayComponents, init: Settings): Promise<Response> {
  const { startTimeout } = init.limits
  const late = new AbortController()
  const signal = AbortSignal.any([request.signal, late.signal])
  const timer = setTimeout(() => {
    late.abort(new GatewayError(504, `The response did not begin within ${startTimeout} ms`))
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

async function answer (
  request: Request,
  components: GatewayComponents,
  init: Settings,
  signal: AbortSignal
): Promise<Response> {
  signal.throwIfAborted()

  const target = parseTarget(request, init)

  if (target instanceof Response) {
    return target
  }

  if (isServiceWorkerForNamespace(request.headers, target)) {
    throw new GatewayError(400, 'A service worker needs the path of one content root, with a slash at its end')
  }

  const chosen = chooseFormat(target, request)
  const onlyIfCached = isOnlyIfCached(request.headers)
  const contextOf = (resolved: Resolved): ResponseContext =>
    ({ request, target, ...chosen, resolved, components, init, signal })

  try {
    const root = await openRoot(target, components, init, onlyIfCached, signal)
    const alone = root == null || target.path.length > 0 ? undefined : { cid: root, roots: [unmark(root)], rest: [] }
    const unchanged = alone == null ? undefined : respondUnchanged(contextOf(alone))

    if (unchanged != null) {
      return unchanged
    }

    const resolved = needsNoPath(chosen.format, alone) ?? await resolvePath(target, components, signal)

    return await RESPONDERS[chosen.format](contextOf(resolved))
  } catch (err) {
    throw onlyIfCached && statusOf(err) === 404 ? notCached(err) : err
  }
}

/**
 * The root of an `/ipfs` path. Refuses it before anything is read of it: the roots of names are refused
 * when the names are resolved.
 */
async function openRoot (
  { namespace, name }: Target,
  { blocks }: GatewayComponents,
  init: Settings,
  onlyIfCached: boolean,
  signal: AbortSignal
): Promise<CID | undefined> {
  if (namespace !== 'ipfs') {
    return undefined
  }

  const root = parseCid(name)
  await checkServed(root, init)

  if (onlyIfCached && !isIdentity(root) && !await blocks.has(unmark(root), { signal })) {
    throw notCached()
  }

  return root
}

/**
 * What is served without following the path: a block, which need not be what its CID says, and the
 * record of a name, which need not lead anywhere.
 */
function needsNoPath (format: Format, alone: Resolved | undefined): Resolved | undefined {
  if (format === 'ipns-record') {
    return { cid: EMPTY, roots: [], rest: [] }
  }

  return format === 'raw' ? alone : undefined
}

async function checkServed (root: CID, { isServed }: GatewayInit): Promise<void> {
  if (isServed != null && !await isServed(root)) {
    throw new GatewayError(404, `This gateway does not serve ${root}`)
  }
}

function parseCid (name: string): CID {
  try {
    return CID.parse(name)
  } catch (err) {
    throw new GatewayError(400, `invalid path "/ipfs/${name}"`, { cause: err })
  }
}

function notCached (cause?: unknown): GatewayError {
  return new GatewayError(412, 'It is not stored here, and may not be fetched', { cause })
}
