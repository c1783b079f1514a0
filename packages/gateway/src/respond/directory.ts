import { EntryNotFoundError } from '../errors.ts'
import { PAGE_POLICY, PAGE_VERSION } from '../html/csp.ts'
import { renderListing } from '../html/listing.ts'
import { resolvePath } from '../resolve/resolve-path.ts'
import { listEntries } from './list-entries.ts'
import type { Listing } from '../html/listing.ts'
import type { Target } from '../request/target.ts'
import type { Resolved } from '../resolve/resolved.ts'
import type { ResponseContext } from './context.ts'

/** Seconds that a listing of a CID may be cached. The directory never changes, but the page may. */
const LISTING_MAX_AGE = 604_800
/** Seconds more that it may be shown while it is fetched anew. */
const LISTING_STALE = 2_678_400

const INDEX = 'index.html'

/**
 * Answer for a directory (specs.ipfs.tech/http-gateways/path-gateway): redirect to the path with a
 * slash at its end, where relative links work; then its `index.html`, or else a listing.
 *
 * @param respondFile - serves `index.html`
 */
export async function respondDirectory (
  context: ResponseContext,
  respondFile: (context: ResponseContext) => Promise<Response>
): Promise<Response> {
  const { request, target, resolved, components: { fs }, init: { limits }, signal } = context

  if (!target.trailingSlash) {
    return redirectToSlash(request, target)
  }

  const index = await findIndex(context)

  if (index != null) {
    return respondFile({
      ...context,
      resolved: { ...resolved, ...index },
      etagCid: resolved.cid,
      fileName: INDEX
    })
  }

  const etag = `"DirIndex-${PAGE_VERSION}_CID-${resolved.cid}"`
  const headers = listingHeaders(target, resolved, etag)

  if (matches(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers })
  }

  if (request.method === 'HEAD') {
    return new Response(null, { headers })
  }

  const listed = await listEntries(fs, resolved.cid, limits.listedEntries, signal)

  return new Response(renderListing({
    ...placeOf(target),
    cid: resolved.cid.toString(),
    ...resolved.stats == null ? {} : { storedSize: resolved.stats.storedSize },
    ...listed
  }), { headers })
}

function listingHeaders ({ namespace, name, rawPath }: Target, { roots, ttl }: Resolved, etag: string): Headers {
  return new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': ttl == null
      ? `public, max-age=${LISTING_MAX_AGE}, stale-while-revalidate=${LISTING_STALE}`
      : `public, max-age=${Math.max(0, Math.floor(ttl))}`,
    'x-ipfs-path': `/${namespace}/${name}${rawPath}`,
    'x-ipfs-roots': roots.join(','),
    etag
  })
}

/** Whether a client has the page already. ETags are compared weakly (RFC 9110, section 13.1.2). */
function matches (ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch?.split(',').some(text => ['*', etag, `W/${etag}`].includes(text.trim())) === true
}

/** `rawPath` has one slash at its beginning, so this never leads to another host. */
function redirectToSlash ({ url }: Request, { namespace, name, rawPath, origin, dnsLinkHost }: Target): Response {
  const start = origin == null && dnsLinkHost == null ? `/${namespace}/${name}` : ''

  return new Response(null, { status: 301, headers: { location: `${start}${rawPath}/${new URL(url).search}` } })
}

async function findIndex (
  { target, resolved, components, signal }: ResponseContext
): Promise<Pick<Resolved, 'cid' | 'stats'> | undefined> {
  try {
    const { cid, stats } = await resolvePath({ ...target, path: [INDEX] }, components, signal, {
      cid: resolved.cid,
      path: []
    })

    return stats == null || stats.type === 'directory' ? undefined : { cid, stats }
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
