import { unmark } from '@ipfsz/core/reader'
import { parseCid } from '../request/content-root.ts'
import { collapsePath, decodePath } from '../request/url-path.ts'
import type { Site } from './site.ts'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** A request that this worker answers: for a file or directory, as pages ask for them. */
export interface OwnRequest {
  /** What the gateway is asked for. */
  url: string
  /** Plain. */
  root: CID
  /** What it probably reads. */
  plan: ReadPlan
}

/** Which requests are the worker's own. */
export interface OwnPlaces {
  /** The origin of the worker. */
  origin: string
  /** The site whose files are the other paths of the origin. */
  site?: Site | undefined
}

const METHODS = ['GET', 'HEAD']

/** Types of blocks, CARs and records, which a gateway on this origin is asked for. */
const TRUSTLESS_TYPE = /application\/vnd\.ip(?:ld|fs)\./

/**
 * What a request asks for below `/ipfs/` of this origin, or of the worker's site. Undefined: it is none of the
 * worker's, which must not touch it. That includes blocks and CARs: a verifying client in the page asks a gateway for
 * these.
 */
export function readOwnRequest (
  { url, method, headers }: Request,
  { origin, site }: OwnPlaces
): OwnRequest | undefined {
  const { origin: asked, pathname, search, searchParams } = new URL(url)

  if (
    asked !== origin || !METHODS.includes(method) || (searchParams.get('format') ?? '') !== '' ||
    TRUSTLESS_TYPE.test(headers.get('accept') ?? '')
  ) {
    return undefined
  }

  const [, name, below = ''] = /^\/ipfs\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
  const cid = name == null ? undefined : parseCid(name)

  if (cid != null) {
    return { url, root: unmark(cid), plan: planOf(below, headers) }
  }

  return site == null || site.leavesOut(pathname)
    ? undefined
    : { url: `${site.origin}${pathname}${search}`, root: unmark(site.root), plan: planOf(pathname, headers) }
}

/** A range is fetched by itself, once its file is known. */
function planOf (path: string, headers: Headers): ReadPlan {
  return { path: readPath(path), scope: headers.has('range') ? 'block' : 'entity' }
}

function readPath (path: string): string {
  try {
    return decodePath(collapsePath(path), path).join('/')
  } catch {
    // the gateway answers with what is wrong
    return ''
  }
}
