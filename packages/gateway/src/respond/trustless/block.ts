// Room: what clients verify: blocks, CARs, IPNS records.
import { checkBlock, checkHash, isIdentity, unmark } from '@ipfsz/core'
import { blockReader, checkBlockSize, readErrorOf } from '../../dag/read-block.ts'
import { ResponseTooSlowError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { acceptedCodings, contentCoding } from '../../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { parseRange } from '../../request/range.ts'
import { contentDisposition } from '../content-disposition.ts'
import { compressedEtagOf, etagOf } from '../etag.ts'
import { contentHeaders, notModified, rangeNotSatisfiable } from '../headers.ts'
import { respondUnchanged } from '../unchanged.ts'
import { blockBody, readWhole } from '../whole-body.ts'
import type { CompressedBlock, ContentCoding, GatewayBlocks, StoredBlock } from '../../contract.ts'
import type { ByteRange } from '../../request/range.ts'
import type { ResponseContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** What is sent: a block, or its compressed payload. */
interface Payload {
  size: number
  /** Undefined: for HEAD, the block was not decompressed. */
  bytes?: Uint8Array | undefined
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
  const unneeded = followSignal(context.signal)
  const { value: payload, share } = await readWhole(
    async () => readPayload(cid, context, wantsRange),
    ({ bytes }) => request.method === 'HEAD' ? 0 : bytes?.byteLength ?? 0,
    context,
    unneeded
  )
  const { size } = payload
  const isHeld = matchesEtag(header('if-none-match'), etagOfPayload(cid, payload))
  // `If-None-Match` comes first (RFC 9110, section 13.2.2)
  const range = wantsRange && !isHeld ? parseRange(header('range'), size) : undefined

  if (range === 'unsatisfiable') {
    share?.give()

    return rangeNotSatisfiable(context, size)
  }

  const headers = contentHeaders(context, {
    etag: etagOfPayload(cid, payload),
    type: MEDIA_TYPES.raw,
    length: range == null ? size : range.end - range.start,
    encoding: payload.encoding,
    variesByEncoding: (blocks.getStored ?? compressor) != null && !isIdentity(cid),
    ranges: true,
    range: range == null ? undefined : { range, size },
    disposition: contentDisposition(query, { type: 'attachment', filename: `${cid}.bin` })
  })

  if (isHeld) {
    share?.give()

    return notModified(headers)
  }

  const status = range == null ? 200 : 206
  const bytes = request.method === 'HEAD' ? undefined : payload.bytes?.subarray(range?.start, range?.end)

  if (bytes == null) {
    return new Response(null, { status, headers })
  }

  const again = readAgain(cid, context, payload, range)

  return new Response(await blockBody(context, { bytes, again, unneeded, share }), { status, headers })
}

/**
 * Reads what was sent before once more. The store may have compressed it anew meanwhile.
 *
 * @throws {ResponseTooSlowError} it is not the same any more
 */
function readAgain (
  cid: CID,
  context: ResponseContext,
  { size, encoding }: Payload,
  range: ByteRange | undefined
): () => Promise<Uint8Array> {
  return async () => {
    const { bytes, encoding: now } = await readPayload(cid, context, range != null)

    if (bytes?.byteLength !== size || now !== encoding) {
      throw new ResponseTooSlowError()
    }

    return bytes.subarray(range?.start, range?.end)
  }
}

function etagOfPayload (cid: CID, { encoding, isFast }: Payload): string {
  return encoding != null && isFast === true
    ? compressedEtagOf(cid, encoding, 'raw')
    : etagOf(cid, 'raw', encoding)
}

async function readPayload (cid: CID, context: ResponseContext, wantsRange: boolean): Promise<Payload> {
  const { components: { blocks }, init: { compressor }, request: { headers, method }, signal } = context
  // HEAD says what ranges count in: see `respondFile`
  const codings = wantsRange || method === 'HEAD' || isIdentity(cid) ? [] : acceptedCodings(headers)

  checkHash(cid)

  const known = compressor?.findBlock(cid, codings)

  // what was deleted is not served from memory
  if (known != null && await blocks.has(cid, { signal })) {
    return compressedPayload(known)
  }

  const stored = await readStored(cid, context, codings)

  if (stored.encoding != null || stored.bytes == null) {
    return stored
  }

  const compressed = await compressor?.compressBlock(cid, stored.bytes, codings)
  signal.throwIfAborted()

  return compressed == null ? stored : compressedPayload(compressed)
}

function compressedPayload ({ bytes, coding }: CompressedBlock): Payload {
  return { size: bytes.byteLength, bytes, encoding: coding, isFast: true }
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
  { components: { blocks }, request: { method }, signal }: ResponseContext,
  codings: readonly ContentCoding[]
): Promise<Payload> {
  // the store knows the size of a compressed block
  const isSizeEnough = method === 'HEAD'

  if (!isIdentity(cid) && blocks.getStored != null && (isSizeEnough || codings.length > 0)) {
    const { codec, size, payload } = await getStored(cid, blocks.getStored.bind(blocks), signal)
    const encoding = contentCoding(codec)

    checkBlockSize(cid, Math.max(size, payload.byteLength))

    if (codec === 'none') {
      await checkBlock(cid, payload)

      return { size, bytes: payload }
    }

    if (encoding != null && codings.includes(encoding)) {
      return { size: payload.byteLength, bytes: payload, encoding }
    }

    if (isSizeEnough) {
      return { size }
    }
  }

  const bytes = await blockReader(blocks, signal)(cid)

  return { size: bytes.byteLength, bytes }
}
