import { checkBlock, checkHash, isIdentity, unmark } from '@ipfsz/core'
import { blockReader, checkBlockSize } from '../../dag/read-block.ts'
import { acceptedCodings, acceptsCoding, contentCoding } from '../../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { parseRange } from '../../request/range.ts'
import { contentDisposition } from '../content-disposition.ts'
import { etagOf } from '../etag.ts'
import { contentHeaders, notModified, rangeNotSatisfiable } from '../headers.ts'
import type { ResponseContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** What is sent: a block, or its compressed payload. */
interface Payload {
  size: number
  /** Undefined: for HEAD, the block was not decompressed. */
  bytes?: Uint8Array | undefined
  encoding?: string | undefined
}

/**
 * A block (Trustless Gateway, Block Responses), of the plain CID. Where the store holds it compressed
 * with a codec that the client takes, the stored payload goes out: the client checks the block anyway.
 *
 * @throws {NotFoundError} the block is missing
 * @throws {BlockTooLargeError}
 */
export async function respondBlock (context: ResponseContext): Promise<Response> {
  const { request, resolved, target: { query }, components: { blocks } } = context
  const header = (name: string): string | null => request.headers.get(name)
  const cid = unmark(resolved.cid)
  const wantsRange = request.method === 'GET' && header('range') != null &&
    matchesIfRange(header('if-range'), etagOf(cid, 'raw'))
  const payload = await readPayload(cid, context, wantsRange)
  const { size } = payload
  const range = wantsRange ? parseRange(header('range'), size) : undefined

  if (range === 'unsatisfiable') {
    return rangeNotSatisfiable(context, size)
  }

  const headers = contentHeaders(context, {
    etag: etagOf(cid, 'raw', payload.encoding),
    type: MEDIA_TYPES.raw,
    length: range == null ? size : range.end - range.start,
    encoding: payload.encoding,
    variesByEncoding: blocks.getStored != null && !isIdentity(cid),
    ranges: true,
    range: range == null ? undefined : { range, size },
    disposition: contentDisposition(query, { type: 'attachment', filename: `${cid}.bin` })
  })

  if (matchesEtag(header('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  const body = request.method === 'HEAD' ? undefined : payload.bytes?.subarray(range?.start, range?.end)

  // blocks are never in shared memory
  return new Response(body as Uint8Array<ArrayBuffer> | undefined, { status: range == null ? 200 : 206, headers })
}

async function readPayload (
  cid: CID,
  { components: { blocks }, request: { headers, method }, signal }: ResponseContext,
  wantsRange: boolean
): Promise<Payload> {
  checkHash(cid)

  // Kubo sends HEAD without Accept-Encoding: the store knows the size of a compressed block
  const isStoredEnough = !wantsRange && (method === 'HEAD' || acceptedCodings(headers).length > 0)

  if (!isIdentity(cid) && blocks.getStored != null && isStoredEnough) {
    const { codec, size, payload } = await blocks.getStored(cid, { signal })
    const encoding = contentCoding(codec)

    checkBlockSize(cid, Math.max(size, payload.byteLength))

    if (codec === 'none') {
      await checkBlock(cid, payload)

      return { size, bytes: payload }
    }

    if (encoding != null && acceptsCoding(headers, encoding)) {
      return { size: payload.byteLength, bytes: payload, encoding }
    }

    if (method === 'HEAD') {
      return { size }
    }
  }

  const bytes = await blockReader(blocks, signal)(cid)

  return { size: bytes.byteLength, bytes }
}
