import { checkBlock, checkHash, isIdentity, unmark } from '@ipfsz/core'
import { blockReader, checkBlockSize, readErrorOf } from '../../dag/read-block.ts'
import { acceptedCodings, contentCoding } from '../../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { parseRange } from '../../request/range.ts'
import { contentDisposition } from '../content-disposition.ts'
import { compressedEtagOf, etagOf } from '../etag.ts'
import { contentHeaders, notModified, rangeNotSatisfiable } from '../headers.ts'
import { respondUnchanged } from '../unchanged.ts'
import type { CompressedBlock, ContentCoding, GatewayBlocks, StoredBlock } from '../../contract.ts'
import type { ResponseContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** What is sent: a block, or its compressed payload. */
interface Payload {
  bytes: Uint8Array
  encoding?: ContentCoding | undefined
  /** Whether it was compressed here, and is not stored so. */
  isFast?: boolean | undefined
}

/**
 * A block (Trustless Gateway, Block Responses), of the plain CID. Where the store holds it compressed
 * with a codec that the client takes, the stored payload goes out: the client checks the block anyway.
 * Other blocks are compressed here, if there is a compressor that has the time.
 *
 * @throws {NotFoundError} the block is missing
 * @throws {BlockTooLargeError}
 */
export async function respondBlock (context: ResponseContext): Promise<Response> {
  const { request, resolved, target: { query }, components: { blocks }, init: { compressor } } = context
  const unchanged = respondUnchanged(context)

  if (unchanged != null) {
    return unchanged
  }

  const header = (name: string): string | null => request.headers.get(name)
  const cid = unmark(resolved.cid)
  const wantsRange = request.method === 'GET' && header('range') != null &&
    matchesIfRange(header('if-range'), etagOf(cid, 'raw'))
  const payload = await readPayload(cid, context, wantsRange)
  const range = wantsRange ? parseRange(header('range'), payload.bytes.byteLength) : undefined

  if (range === 'unsatisfiable') {
    return rangeNotSatisfiable(context, payload.bytes.byteLength)
  }

  const bytes = payload.bytes.subarray(range?.start, range?.end)
  const headers = contentHeaders(context, {
    etag: etagOfPayload(cid, payload),
    type: MEDIA_TYPES.raw,
    length: bytes.byteLength,
    encoding: payload.encoding,
    variesByEncoding: (blocks.getStored ?? compressor) != null && !isIdentity(cid),
    ranges: true,
    range: range == null ? undefined : { range, size: payload.bytes.byteLength },
    disposition: contentDisposition(query, { type: 'attachment', filename: `${cid}.bin` })
  })

  if (matchesEtag(header('if-none-match'), headers.get('etag') ?? '')) {
    return notModified(headers)
  }

  // blocks are never in shared memory
  const body = request.method === 'HEAD' ? null : bytes as Uint8Array<ArrayBuffer>

  return new Response(body, { status: range == null ? 200 : 206, headers })
}

function etagOfPayload (cid: CID, { encoding, isFast }: Payload): string {
  return encoding != null && isFast === true
    ? compressedEtagOf(cid, encoding, 'raw')
    : etagOf(cid, 'raw', encoding)
}

async function readPayload (cid: CID, context: ResponseContext, wantsRange: boolean): Promise<Payload> {
  const { components: { blocks }, init: { compressor }, request: { headers }, signal } = context
  const codings = wantsRange || isIdentity(cid) ? [] : acceptedCodings(headers)

  checkHash(cid)

  const known = compressor?.findBlock(cid, codings)

  // what was deleted is not served from memory
  if (known != null && await blocks.has(cid, { signal })) {
    return compressedPayload(known)
  }

  const stored = await readStored(cid, context, codings)

  if (stored.encoding != null) {
    return stored
  }

  const compressed = await compressor?.compressBlock(cid, stored.bytes, codings)
  signal.throwIfAborted()

  return compressed == null ? stored : compressedPayload(compressed)
}

function compressedPayload ({ bytes, coding }: CompressedBlock): Payload {
  return { bytes, encoding: coding, isFast: true }
}

async function getStored (
  cid: CID,
  read: NonNullable<GatewayBlocks['getStored']>,
  signal: AbortSignal
): Promise<StoredBlock> {
  try {
    return await read(cid, { signal })
  } catch (err) {
    throw readErrorOf(err, cid, signal)
  }
}

/** A block as it is stored, if that is plain or with one of the codings, or else decompressed. */
async function readStored (
  cid: CID,
  { components: { blocks }, signal }: ResponseContext,
  codings: readonly ContentCoding[]
): Promise<Payload> {
  if (codings.length > 0 && blocks.getStored != null) {
    const { codec, size, payload } = await getStored(cid, blocks.getStored.bind(blocks), signal)
    const encoding = contentCoding(codec)

    checkBlockSize(cid, Math.max(size, payload.byteLength))

    if (codec === 'none') {
      await checkBlock(cid, payload)

      return { bytes: payload }
    }

    if (encoding != null && codings.includes(encoding)) {
      return { bytes: payload, encoding }
    }
  }

  return { bytes: await blockReader(blocks, signal)(cid) }
}
