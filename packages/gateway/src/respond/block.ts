import { checkBlock, checkHash, isIdentity, unmark } from '@ipfsz/core'
import { contentDisposition, contentHeaders, etagOf, notModified, rangeNotSatisfiable } from './headers.ts'
import { GatewayError } from '../errors.ts'
import { acceptedCodings, acceptsCoding, contentCoding } from '../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../request/conditions.ts'
import { parseRange } from '../request/range.ts'
import type { ResponseContext } from './context.ts'
import type { GatewayBlocks } from '../contract.ts'
import type { CID } from 'multiformats/cid'

const TYPE = 'application/vnd.ipld.raw'

/** The largest block that other nodes take, in bytes: Bitswap's limit. */
export const MAX_BLOCK_SIZE = 2 * 1024 * 1024

/** What is sent: a block, or its compressed payload. */
interface Payload {
  bytes: Uint8Array
  encoding?: string | undefined
}

/**
 * A block (trustless gateway, "Block Responses"), of the plain CID. Where the store holds it compressed
 * with a codec that the client takes, the stored payload goes out: the client checks the block anyway.
 *
 * @throws {GatewayError} 422: the block is larger than nodes exchange. 501: the path leads into a document
 */
export async function respondBlock (context: ResponseContext): Promise<Response> {
  const { request, resolved, components: { blocks } } = context
  const header = (name: string): string | null => request.headers.get(name)
  const cid = unmark(resolved.cid)

  if (resolved.rest.length > 0) {
    throw new GatewayError(501, `The path ends inside of ${cid}: a part of a block cannot be served`)
  }

  checkHash(cid)

  const variesByEncoding = blocks.getStored != null && !isIdentity(cid)
  const wantsRange = request.method === 'GET' && header('range') != null &&
    matchesIfRange(header('if-range'), etagOf(cid, 'raw'))
  const payload = await readPayload(cid, context, wantsRange)
  const range = wantsRange ? parseRange(header('range'), payload.bytes.byteLength) : undefined

  if (range === 'unsatisfiable') {
    return rangeNotSatisfiable(context, payload.bytes.byteLength)
  }

  const bytes = payload.bytes.subarray(range?.start, range?.end)
  const headers = contentHeaders(context, {
    etag: etagOf(cid, 'raw', payload.encoding),
    type: TYPE,
    length: bytes.byteLength,
    encoding: payload.encoding,
    variesByEncoding,
    ranges: true,
    range: range == null ? undefined : { range, size: payload.bytes.byteLength },
    disposition: contentDisposition(context.target, { type: 'attachment', fallback: `${cid}.bin` }),
    nosniff: true
  })

  if (matchesEtag(header('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  // blocks are never in shared memory
  const body = request.method === 'HEAD' ? null : bytes as Uint8Array<ArrayBuffer>

  return new Response(body, { status: range == null ? 200 : 206, headers })
}

async function readPayload (
  cid: CID,
  { components: { blocks }, request: { headers }, signal }: ResponseContext,
  wantsRange: boolean
): Promise<Payload> {
  if (isIdentity(cid)) {
    return { bytes: cid.multihash.digest }
  }

  if (blocks.getStored != null && !wantsRange && acceptedCodings(headers).length > 0) {
    const { codec, size, payload } = await blocks.getStored(cid, { signal })
    const encoding = contentCoding(codec)

    checkSize(cid, Math.max(size, payload.byteLength))

    if (codec === 'none') {
      await checkBlock(cid, payload)

      return { bytes: payload }
    }

    if (encoding != null && acceptsCoding(headers, encoding)) {
      return { bytes: payload, encoding }
    }
  }

  const bytes = await readBlock(cid, blocks, signal)
  await checkBlock(cid, bytes)

  return { bytes }
}

/** A block of the store, not yet compared with its CID. */
async function readBlock (cid: CID, blocks: GatewayBlocks, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0

  for await (const chunk of blocks.get(cid, { signal })) {
    signal.throwIfAborted()
    length += chunk.byteLength
    checkSize(cid, length)
    chunks.push(chunk)
  }

  if (chunks.length === 1) {
    return chunks[0]
  }

  const block = new Uint8Array(length)
  let position = 0

  for (const chunk of chunks) {
    block.set(chunk, position)
    position += chunk.byteLength
  }

  return block
}

function checkSize (cid: CID, size: number): void {
  if (size > MAX_BLOCK_SIZE) {
    throw new GatewayError(422, `The block ${cid} has more than ${MAX_BLOCK_SIZE} bytes`)
  }
}
