import { isIdentity, unmark } from '@ipfsz/core/reader'
import { EntryNotFoundError, GatewayError } from './errors.ts'
import { PathLimit } from './dag/path-limit.ts'
import { isOnlyIfCached, isServiceWorker, isServiceWorkerForNamespace } from './request/conditions.ts'
import { chooseFormat } from './request/format.ts'
import { readStart } from './request/start.ts'
import { parseTarget } from './request/target.ts'
import { redirectOf } from './resolve/redirect-of.ts'
import { resolvePath } from './resolve/resolve-path.ts'
import { resolveRoot } from './resolve/resolve-root.ts'
import { respondDirectory } from './respond/directory/directory.ts'
import { respondFile } from './respond/file/file.ts'
import { redirect } from './respond/headers.ts'
import { respondUnchanged } from './respond/unchanged.ts'
import { respondIpnsRecord } from './respond/trustless/ipns-record.ts'
import { statusOf } from './respond/error.ts'
import type { Format } from './request/format.ts'
import type { Target } from './request/target.ts'
import type { PathComponents } from './resolve/resolve-path.ts'
import type { ContentRoot } from './resolve/resolve-root.ts'
import type { Resolved } from './resolve/resolved.ts'
import type { ResponseContext } from './respond/context.ts'
import type { FileOptions } from './respond/file/served-file.ts'

/** What a gateway was made with, and the defaults. */
export type Settings = ResponseContext['init']

/** Formats that a client can verify (specs.ipfs.tech/http-gateways/trustless-gateway). */
const TRUSTLESS: readonly Format[] = ['raw', 'car', 'ipns-record']

/** Formats of one block and what is below it: whether it is UnixFS does not matter. */
const OF_BLOCKS: readonly Format[] = ['raw', 'car']

/** A context without what the path led to. */
type Context = Omit<ResponseContext, 'resolved'>

/**
 * Answer a request: what it asks for, where its root is, what the path below it leads to, and the response
 * of the format.
 *
 * @throws {GatewayError} and other errors, which `respondError` turns into statuses
 */
export async function answer (
  request: Request,
  components: PathComponents,
  init: Settings,
  signal: AbortSignal
): Promise<Response> {
  signal.throwIfAborted()

  const { respondStart } = init.parts
  const start = respondStart == null ? undefined : readStart(request, init)

  if (respondStart != null && start != null) {
    return respondStart(request, start)
  }

  const target = parseTarget(request, init)

  if (target instanceof Response) {
    return target
  }

  const context = { request, target, ...chooseFormat(target, request), components, init, signal }
  checkAllowed(context)

  if (context.format === 'ipns-record') {
    return respondIpnsRecord(context)
  }

  const onlyIfCached = isOnlyIfCached(request.headers)

  try {
    const root = await resolveRoot(target, components, signal)
    await checkServed(root, init)
    const limit = new PathLimit(init.limits.pathTime, signal)
    const below = { ...context, components: { ...componentsBelow(root, components), limit } }
    await checkCached(root, below, onlyIfCached)

    return await answerRoot(below, root)
  } catch (err) {
    throw onlyIfCached && statusOf(err) === 404 ? notCached(err) : err
  }
}

/** @throws {GatewayError} 400 or 406 */
function checkAllowed ({ request, target, format }: Context): void {
  if (target.onForeignHost === true && isServiceWorker(request.headers)) {
    throw new GatewayError(400, 'A service worker needs an origin of its own')
  }

  if (isServiceWorkerForNamespace(request.headers, target)) {
    throw new GatewayError(400, 'A service worker needs the path of one content root, with a slash at its end')
  }

  if (target.trustless === true && !TRUSTLESS.includes(format)) {
    throw new GatewayError(406, 'This host serves only blocks, CARs and IPNS records: ?format=raw, car or ipns-record')
  }
}

function componentsBelow ({ cid }: ContentRoot, components: PathComponents): PathComponents {
  const { below, names, documents } = components

  return { ...below?.(cid) ?? components, names, documents }
}

/** Refuses a root before anything is read of it. */
async function checkServed ({ cid }: ContentRoot, { isServed }: Settings): Promise<void> {
  if (isServed != null && !await isServed(cid)) {
    throw new GatewayError(404, `This gateway does not serve ${cid}`)
  }
}

/** @throws {GatewayError} 412: a client that wants only what is here would have to wait for it */
async function checkCached ({ cid }: ContentRoot, { components, signal }: Context, only: boolean): Promise<void> {
  if (only && !isIdentity(cid) && !await components.blocks.has(unmark(cid), { signal })) {
    throw notCached()
  }
}

function notCached (cause?: unknown): GatewayError {
  return new GatewayError(412, 'It is not stored here, and may not be fetched', { cause })
}

async function answerRoot (context: Context, root: ContentRoot): Promise<Response> {
  const { target, format, components, signal } = context

  if (root.path.length + target.path.length === 0) {
    const alone = { ...context, resolved: resolvedRoot(root) }
    const unchanged = respondUnchanged(alone)

    if (unchanged != null) {
      return unchanged
    }

    if (OF_BLOCKS.includes(format)) {
      return respond(alone)
    }
  }

  let resolved: Resolved

  try {
    resolved = await resolvePath(target, components, signal, root)
  } catch (err) {
    if (format === 'file' && err instanceof EntryNotFoundError) {
      return answerMissing(context, root, err)
    }

    throw err
  }

  if (OF_BLOCKS.includes(format)) {
    // blocks are read by their CIDs
    resolved.file?.close()
  }

  return respond({ ...context, resolved })
}

/** A root that the request names alone, of which nothing was read. */
function resolvedRoot ({ cid, ttl }: ContentRoot): Resolved {
  return { cid, roots: [unmark(cid)], names: [], ...ttl == null ? {} : { ttl } }
}

async function respond (context: ResponseContext): Promise<Response> {
  const { format, init: { parts: { responders } } } = context

  if (format === 'file' || format === 'ipns-record') {
    return respondDeserialized(context)
  }

  const respondFormat = responders[format]

  if (respondFormat == null) {
    throw new GatewayError(406, `This gateway does not support the format ${format}`)
  }

  return respondFormat(context)
}

/** Answer as for a browser: with a file, the page of a directory, or a document. */
async function respondDeserialized (
  context: ResponseContext,
  options: Pick<FileOptions, 'status'> = {}
): Promise<Response> {
  const { stats } = context.resolved

  if (stats == null) {
    return context.init.parts.respondDocument(context)
  }

  return stats.type === 'directory' ? respondDirectory(context, options) : respondFile(context, options)
}

/** What a website has for a path that does not exist: a redirect, another page, or nothing. */
async function answerMissing (context: Context, root: ContentRoot, err: EntryNotFoundError): Promise<Response> {
  const { target, components, init: { parts: { caches: { redirects } } }, signal } = context
  const found = await redirectOf(target, { ...components, redirects }, signal, root)

  if (found == null) {
    throw err
  }

  if ('location' in found) {
    return redirect(found.status, found.location, root)
  }

  return answerRewritten(context, root, found)
}

async function answerRewritten (
  context: Context,
  root: ContentRoot,
  { status, target }: { status: number, target: Target }
): Promise<Response> {
  const resolved = await resolvePath(target, context.components, context.signal, root)

  return respondDeserialized({ ...context, target, resolved }, { status })
}
