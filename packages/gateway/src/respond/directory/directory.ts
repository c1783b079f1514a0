// Room: a directory: its page, or its `index.html`.
import { EntryNotFoundError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { PAGE_VERSION } from '../../html/csp.ts'
import { renderListing } from '../../html/listing.ts'
import { matchesEtag } from '../../request/conditions.ts'
import { resolvePath } from '../../resolve/resolve-path.ts'
import { respondFile } from '../file/file.ts'
import { contentHeaders, notModified } from '../headers.ts'
import { wholeBody } from '../whole-body.ts'
import { listEntries } from './list-entries.ts'
import { Pages } from './pages.ts'
import type { Listing } from '../../html/listing.ts'
import type { Target } from '../../request/target.ts'
import type { Resolved } from '../../resolve/resolved.ts'
import type { ResponseContext } from '../context.ts'
import type { FileOptions } from '../file/served-file.ts'

const INDEX = 'index.html'

/** The pages of each gateway, by its parts. */
const pages = new WeakMap<object, Pages>()

/**
 * Answer for a directory (specs.ipfs.tech/http-gateways/path-gateway): redirect to the path with a
 * slash at its end, where relative links work; then its `index.html`, or else a listing.
 */
export async function respondDirectory (
  context: ResponseContext,
  { status = 200 }: Pick<FileOptions, 'status'> = {}
): Promise<Response> {
  const { request, target, resolved } = context

  if (!target.trailingSlash) {
    return redirectToSlash(target)
  }

  const index = await findIndex(context)

  if (index != null) {
    return respondFile(
      { ...context, resolved: { ...resolved, ...index } },
      { name: INDEX, etagCid: resolved.cid, status }
    )
  }

  const etag = `"DirIndex-${PAGE_VERSION}_CID-${resolved.cid}"`
  const headers = contentHeaders(context, { etag, isPage: true })

  if (status === 200 && matchesEtag(request.headers.get('if-none-match'), etag)) {
    return notModified(headers)
  }

  if (request.method === 'HEAD') {
    return new Response(null, { status, headers })
  }

  const unneeded = followSignal(context.signal)
  const { bytes, give } = await getPage(context, unneeded)

  return new Response(await wholeBody(context, bytes, unneeded, { give }), { status, headers })
}

/** The page of a directory, as others may be getting it too. */
async function getPage (
  { target, resolved, components, init }: ResponseContext,
  unneeded: AbortController
): ReturnType<Pages['get']> {
  const { limits, memory, parts } = init
  const { cid } = resolved
  const place = placeOf(target)
  const known = pages.get(parts) ?? new Pages(parts.caches.pages)
  pages.set(parts, known)

  return known.get(JSON.stringify([`${cid}`, limits.listedEntries, place]), async signal => {
    const listed = await listEntries(components.fs, cid, limits.listedEntries, signal)
    const page = renderListing({ ...place, cid: cid.toString(), ...listed })

    return {
      bytes: new TextEncoder().encode(page),
      // what is missing may arrive
      isFinal: listed.entries.every(({ type, size }) => type === 'directory' || size != null)
    }
  }, memory, unneeded)
}

/** `rawPath` has one slash at its beginning, so this never leads to another host. */
function redirectToSlash ({ namespace, name, rawPath, origin, dnsLinkHost, search }: Target): Response {
  const start = origin == null && dnsLinkHost == null ? `/${namespace}/${name}` : ''

  return new Response(null, {
    status: 301,
    headers: { location: `${start}${rawPath}/${search}` }
  })
}

async function findIndex (
  { target, resolved, components, signal }: ResponseContext
): Promise<Pick<Resolved, 'cid' | 'stats' | 'file'> | undefined> {
  try {
    const { cid, stats, file } = await resolvePath({ ...target, path: [INDEX] }, components, signal, {
      cid: resolved.cid,
      path: []
    })

    return file == null ? undefined : { cid, stats, file }
  } catch (err) {
    if (err instanceof EntryNotFoundError) {
      return undefined
    }

    throw err
  }
}

/** Where the directory is, and where the links of its page lead. */
function placeOf (
  { namespace, name, path, origin, dnsLinkHost }: Target
): Pick<Listing, 'path' | 'base' | 'parent' | 'gatewayUrl' | 'dnsLinkHost'> {
  const start = origin == null && dnsLinkHost == null ? `/${namespace}/${name}/` : '/'
  const base = start + path.map(name => `${encodeURIComponent(name)}/`).join('')

  return {
    path: [namespace, name, ...path],
    base,
    ...path.length === 0 ? {} : { parent: `${base}..` },
    gatewayUrl: origin == null ? '' : `//${origin}`,
    ...dnsLinkHost == null ? {} : { dnsLinkHost }
  }
}
