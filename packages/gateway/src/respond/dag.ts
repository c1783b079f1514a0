import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { decodeDocument, followDocument, isDocument } from '../car/document.ts'
import { CBOR_CODE, JSON_CODE } from '../car/links.ts'
import { blockReader } from '../car/read-block.ts'
import { GatewayError } from '../errors.ts'
import { acceptsHtml, MEDIA_TYPES } from '../request/format.ts'
import { rangeOf } from './byte-range.ts'
import { previewPage } from './dag-preview.ts'
import { respondJsonFile } from './json-file.ts'
import { fingerprint, isNotModified, notModified, representationHeaders } from './representation.ts'
import type { ResponseContext } from './context.ts'
import type { Format } from '../request/format.ts'
import type { Resolved } from '../resolve/resolved.ts'

/** The formats of blocks that are not UnixFS. */
type DocumentFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

/**
 * The formats that a codec can be asked for, first the one that it is served as by default. There
 * are no conversions (specs.ipfs.tech/ipips/ipip-0524): a DAG-JSON block is JSON as it is.
 */
const FORMATS: ReadonlyMap<number, readonly DocumentFormat[]> = new Map<number, DocumentFormat[]>([
  [JSON_CODE, ['json']],
  [CBOR_CODE, ['cbor']],
  [dagJson.code, ['dag-json', 'json']],
  [dagCbor.code, ['dag-cbor', 'cbor']]
])

/** Pages are made anew by other versions: a week, then for a month while the new one is fetched. In seconds. */
const PAGE_CACHING = 'public, max-age=604800, stale-while-revalidate=2678400'
const PAGE_TTL = 604_800

/** What a page may load: nothing but its own style. */
const PAGE_POLICY = 'default-src \'none\'; style-src \'unsafe-inline\''

/**
 * The response for a block of DAG-CBOR, DAG-JSON, CBOR or JSON, or for what is asked for as one of
 * them: the block as it is, or a page that shows it (Path Gateway, Response Payload).
 *
 * @throws {GatewayError} 404: a document has nothing of that name. 501: the path ends inside one.
 *   406: the block has another codec than the one asked for
 * @throws {NotFoundError} the block is missing
 */
export async function respondDag (context: ResponseContext): Promise<Response> {
  const { resolved, format, request } = context
  const formats = FORMATS.get(resolved.cid.code)

  if (resolved.rest.length > 0) {
    throw await insideDocument(context)
  }

  if (formats == null && format === 'json') {
    return respondJsonFile(context)
  }

  if (format === 'file' && isDocument(resolved.cid) && acceptsHtml(request)) {
    return respondPage(context)
  }

  const found = formats?.find(name => format === 'file' || name === format)

  if (found == null) {
    throw new GatewayError(406, `${resolved.cid} cannot be had as ${format}: fetch its block with ?format=raw, ` +
      'and convert it')
  }

  return respondBlock(context, found)
}

/** Whether `respondDag` has a response for what was resolved: the other formats are those of UnixFS. */
export function isDagResponse ({ cid, rest }: Pick<Resolved, 'cid' | 'rest'>, format: Format): boolean {
  return rest.length > 0 || format.endsWith('json') || format.endsWith('cbor') ||
    (format === 'file' && FORMATS.has(cid.code))
}

/** Why names that are left cannot be followed (Path Gateway, Traversing through DAG-JSON and DAG-CBOR). */
async function insideDocument ({ resolved, components, signal }: ResponseContext): Promise<GatewayError> {
  const { cid, rest } = resolved
  const path = JSON.stringify(rest.join('/').slice(0, 200))
  const document = isDocument(cid) ? decodeDocument(cid, await blockReader(components.blocks, signal)(cid)) : undefined

  return followDocument(document, rest) == null
    ? new GatewayError(404, `${cid} has nothing named ${path}`)
    : new GatewayError(501, `The path ends inside of ${cid}, and only links can be followed: ${path} is none`)
}

async function respondBlock (context: ResponseContext, format: DocumentFormat): Promise<Response> {
  const { request, resolved: { cid }, components, signal } = context
  const etag = `"${cid}.${format}"`
  const isText = format.endsWith('json')
  const headers = representationHeaders(context, {
    etag,
    contentType: MEDIA_TYPES[format],
    disposition: { type: isText ? 'inline' : 'attachment', filename: `${cid}.${isText ? 'json' : 'cbor'}` }
  })

  headers.set('accept-ranges', 'bytes')

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  const block = await blockReader(components.blocks, signal)(cid)
  const size = block.byteLength
  const range = rangeOf(request, etag, size)

  if (range === 'unsatisfiable') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${size}` } })
  }

  const { start, end } = range ?? { start: 0, end: size - 1 }
  headers.set('content-length', String(end - start + 1))

  if (range != null) {
    headers.set('content-range', `bytes ${start}-${end}/${size}`)
  }

  const body = request.method === 'HEAD' ? null : new Uint8Array(block.subarray(start, end + 1))

  return new Response(body, { status: range == null ? 200 : 206, headers })
}

async function respondPage (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid, ttl }, components, signal, target } = context
  const block = await blockReader(components.blocks, signal)(cid)
  const [format] = FORMATS.get(cid.code) ?? []
  const html = previewPage(cid, block, {
    path: `/${[target.namespace, target.name, ...target.path].join('/')}`,
    format: format ?? 'raw'
  })
  const etag = `"DagIndex-${await fingerprint(html)}_CID-${cid}"`
  const headers = representationHeaders(context, { etag, contentType: 'text/html; charset=utf-8' })

  headers.set('cache-control', ttl == null ? PAGE_CACHING : `public, max-age=${Math.min(PAGE_TTL, Math.floor(ttl))}`)
  headers.set('content-security-policy', PAGE_POLICY)

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  const page = new TextEncoder().encode(html)
  headers.set('content-length', String(page.byteLength))

  return new Response(request.method === 'HEAD' ? null : page, { headers })
}
