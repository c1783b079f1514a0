import { parseCid } from '../request/content-root.ts'
import { collapsePath, decodePath } from '../request/url-path.ts'
import { unmark } from '@ipfsz/core/reader'
import type { ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

/** A request that this worker answers: for a file or directory, as pages ask for them. */
export interface OwnRequest {
  /** Plain. */
  root: CID
  /** What it probably reads. */
  plan: ReadPlan
}

const METHODS = ['GET', 'HEAD']

/** Types of blocks, CARs and records, which a gateway on this origin is asked for. */
const TRUSTLESS_TYPE = /application\/vnd\.ip(?:ld|fs)\./

/**
 * What a request asks for below `/ipfs/` of this origin. Undefined: it is none of the worker's, which must not touch
 * it. That includes blocks and CARs: a verifying client in the page asks a gateway for these.
 */
export function readOwnRequest ({ url, method, headers }: Request, origin: string): OwnRequest | undefined {
  const { origin: asked, pathname, searchParams } = new URL(url)
  const [, name, rest = ''] = /^\/ipfs\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
  const cid = asked === origin && name != null ? parseCid(name) : undefined

  if (
    cid == null || !METHODS.includes(method) || (searchParams.get('format') ?? '') !== '' ||
    TRUSTLESS_TYPE.test(headers.get('accept') ?? '')
  ) {
    return undefined
  }

  return { root: unmark(cid), plan: planOf(rest, headers) }
}

/** A range is fetched by itself, once its file is known. */
function planOf (rest: string, headers: Headers): ReadPlan {
  return { path: readPath(rest), scope: headers.has('range') ? 'block' : 'entity' }
}

function readPath (rest: string): string {
  try {
    return decodePath(collapsePath(rest), rest).join('/')
  } catch {
    // the gateway answers with what is wrong
    return ''
  }
}
