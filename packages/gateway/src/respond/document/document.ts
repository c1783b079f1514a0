// Room: documents: DAG-CBOR, DAG-JSON and the like, as they are or as pages.
import { isDocument } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CBOR_CODE, JSON_CODE } from '../../dag/links.ts'
import { blockReader } from '../../dag/read-block.ts'
import { GatewayError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { renderDocument } from '../../html/document.ts'
import { matchesEtag, matchesIfRange } from '../../request/conditions.ts'
import { acceptsHtml, MEDIA_TYPES } from '../../request/format.ts'
import { parseRange } from '../../request/range.ts'
import { contentDisposition } from '../content-disposition.ts'
import { etagOf, fingerprint } from '../etag.ts'
import { contentHeaders, notModified, rangeNotSatisfiable } from '../headers.ts'
import { respondJsonFile } from './json-file.ts'
import { previewText } from './preview-text.ts'
import { blockBody, readWhole } from '../whole-body.ts'
import type { ByteRange } from '../../request/range.ts'
import type { ResponseContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

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

/**
 * The response for a block of DAG-CBOR, DAG-JSON, CBOR or JSON, or for what is asked for as one of
 * them: the block as it is, or a page that shows it (Path Gateway, Response Payload).
 *
 * @throws {GatewayError} 406: the block has another codec than the one asked for
 * @throws {NotFoundError} the block is missing
 */
export async function respondDocument (context: ResponseContext): Promise<Response> {
  const { resolved: { cid }, format, request } = context
  const formats = FORMATS.get(cid.code)

  if (formats == null && format === 'json') {
    return respondJsonFile(context)
  }

  if (format === 'file' && isDocument(cid) && acceptsHtml(request)) {
    return respondPage(context)
  }

  const found = formats?.find(name => format === 'file' || name === format)

  if (found == null) {
    throw new GatewayError(406, `${cid} is not available as ${format}: fetch it with ?format=raw, and convert it`)
  }

  return respondBytes(context, found)
}

/** The block as it is. */
async function respondBytes (context: ResponseContext, format: DocumentFormat): Promise<Response> {
  const { request, target: { query }, resolved: { cid } } = context
  const etag = etagOf(cid, format)
  const unneeded = followSignal(context.signal)
  const { value: block, share } = await readWhole(
    async () => readBlock(context, cid),
    ({ byteLength }) => request.method === 'HEAD' ? 0 : byteLength,
    context,
    unneeded
  )
  const range = request.method === 'GET' && matchesIfRange(request.headers.get('if-range'), etag)
    ? parseRange(request.headers.get('range'), block.byteLength)
    : undefined

  if (range === 'unsatisfiable') {
    share?.give()

    return rangeNotSatisfiable(context, block.byteLength)
  }

  const isText = format.endsWith('json')
  const bytes = block.subarray(range?.start, range?.end)
  const headers = contentHeaders(context, {
    etag,
    type: MEDIA_TYPES[format],
    length: bytes.byteLength,
    ranges: true,
    range: range == null ? undefined : { range, size: block.byteLength },
    disposition: contentDisposition(query, {
      type: isText ? 'inline' : 'attachment',
      filename: `${cid}.${isText ? 'json' : 'cbor'}`
    })
  })

  headers.set('x-content-type-options', 'nosniff')

  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    share?.give()

    return notModified(headers)
  }

  const body = request.method === 'HEAD'
    ? null
    : await blockBody(context, { bytes, again: readAgain(context, cid, range), unneeded, share })

  return new Response(body, { status: range == null ? 200 : 206, headers })
}

/** A page that shows a document, and its links. */
async function respondPage (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid }, target } = context
  const block = await readBlock(context, cid)
  const html = renderDocument({
    path: [target.namespace, target.name, ...target.path],
    cid: cid.toString(),
    size: block.byteLength,
    format: FORMATS.get(cid.code)?.[0] ?? 'raw',
    text: previewText(cid, block),
    gatewayUrl: target.origin == null ? '' : `//${target.origin}`,
    ...target.dnsLinkHost == null ? {} : { dnsLinkHost: target.dnsLinkHost }
  })
  const page = new TextEncoder().encode(html)
  const etag = `"DagIndex-${await fingerprint(html)}_CID-${cid}"`
  const headers = contentHeaders(context, { etag, length: page.byteLength, isPage: true })

  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    return notModified(headers)
  }

  return new Response(request.method === 'HEAD' ? null : page, { headers })
}

function readAgain (context: ResponseContext, cid: CID, range: ByteRange | undefined): () => Promise<Uint8Array> {
  return async () => (await readBlock(context, cid)).subarray(range?.start, range?.end)
}

async function readBlock ({ components: { blocks }, signal }: ResponseContext, cid: CID): Promise<Uint8Array> {
  return blockReader(blocks, signal)(cid)
}
