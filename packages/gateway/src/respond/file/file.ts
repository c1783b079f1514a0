import { BodyTooLargeError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { acceptsCoding } from '../../request/accept-encoding.ts'
import { matchesEtag, matchesIfRange } from '../../request/conditions.ts'
import { parseRange } from '../../request/range.ts'
import { checkedLength, openResponseBody } from '../body.ts'
import { contentDisposition } from '../content-disposition.ts'
import { compressedEtagOf, etagOf } from '../etag.ts'
import { contentHeaders, notModified, rangeNotSatisfiable } from '../headers.ts'
import { readFile } from '../read-file.ts'
import { describeFile, typeOfFile } from './served-file.ts'
import { findStored, openStored } from './stored-body.ts'
import type { Compressor } from '../../contract.ts'
import type { ResponseContext } from '../context.ts'
import type { StoredBody } from '../stored-file.ts'
import type { FileOptions, ServedFile } from './served-file.ts'
import type { ByteRange } from '../../request/range.ts'

/** Files of fewer bytes are not sent with gzip: they fit into one packet of a network, with their headers. */
const MIN_GZIP_SIZE = 1024

/** How a file goes out. */
interface Sending {
  etag: string
  /** A part of the original bytes. */
  range?: ByteRange | undefined
  /** The file as it is stored, instead of the original bytes. */
  stored?: StoredBody | undefined
  /** Compresses the original bytes with gzip. */
  compressor?: Compressor | undefined
}

/**
 * A file, compressed or not. Without a range, frames go out as they are stored if the client takes
 * their codec; everything else goes out decompressed, or with gzip where a compressor has time for it.
 *
 * HEAD is answered with the original bytes, whatever the client accepts: which of the representations that a client
 * accepts is sent is for the server to choose (RFC 9110, section 12.1), and the original bytes are always acceptable
 * (12.5.3). Only of these can ranges be had, which count in them (14.2), and readers of ranges ask HEAD for the size,
 * with the `Accept-Encoding` of their browser and sometimes with a `Range`, which counts for GET alone (14.2).
 * A length of stored frames would make them read at the wrong places. That a GET of the same request may have another
 * length than its HEAD is against the letter of section 8.6. nginx with `gzip on` does the same.
 *
 * @throws {BodyTooLargeError} the file would have to be decompressed
 */
export async function respondFile (context: ResponseContext, options: FileOptions = {}): Promise<Response> {
  const { request, signal, init: { compressor: gzip, parts: { dictionaries } } } = context
  const isHead = request.method === 'HEAD'
  const file = describeFile(context, options)
  const { etagCid = file.cid, status = 200 } = options
  const range = status === 200 ? rangeOf(request, file, etagOf(etagCid)) : undefined
  const available = status === 200 && range == null ? dictionaries?.usable(context) : undefined
  const candidate = range == null ? await findStored(context, file, available) : undefined
  const etag = etagOf(etagCid, candidate?.coding, candidate?.dictionary)
  const gzipEtag = compressedEtagOf(etagCid, 'gzip')
  const takesGzip = range == null && canGzip(context, file)
  const deltaEtag = compressedEtagOf(etagCid, 'dcz', available)
  // what is sent, or could be. Not what was compressed with another dictionary: it may be a cache that asks, for a
  // client that does not have that one
  const held = [
    etag, etagOf(etagCid), ...takesGzip ? [gzipEtag] : [], ...available == null ? [] : [deltaEtag]
  ]
    .find(etag => matchesEtag(request.headers.get('if-none-match'), etag))

  if (status === 200 && held != null) {
    const headers = contentHeaders(context, { etag: held, variesByEncoding: file.isCompressed })
    await dictionaries?.offer(context, file, headers, candidate?.coding === 'dcz')

    return notModified(headers)
  }

  if (range === 'unsatisfiable') {
    return rangeNotSatisfiable(context, file.size ?? 0)
  }

  // read before anything is held
  const type = await typeOfFile(context, file, range != null)
  const unneeded = followSignal(signal)

  try {
    const delta = available != null && !isHead && candidate?.coding !== 'dcz'
      ? await dictionaries?.makeDelta(context, file, available, unneeded)
      : undefined
    const stored = delta ?? (isHead ? undefined : await openStored(context, file, candidate, unneeded.signal))
    const compressor = stored == null && takesGzip && !isHead && gzip?.takesFiles() === true ? gzip : undefined
    const sentEtag = compressor == null ? etagOf(etagCid, stored?.coding, stored?.dictionary) : gzipEtag
    const sending = {
      etag: delta == null ? sentEtag : deltaEtag,
      range,
      stored,
      compressor
    }

    if (!isHead) {
      checkLimit(context, file, sending)
    }

    const headers = headersOf(context, file, sending, { type, status })

    if (status === 200 && range == null) {
      await dictionaries?.offer(context, file, headers, candidate?.coding === 'dcz')
    }

    const body = isHead ? null : await openFile(context, file, sending, unneeded)

    if (body == null) {
      unneeded.abort()
    }

    return new Response(body, { status: range == null ? status : 206, headers })
  } catch (err) {
    unneeded.abort(err)
    throw err
  }
}

/** Whether a file may go out with gzip, if it is not sent as it is stored. It shrank when it was added. */
function canGzip ({ request, init: { compressor } }: ResponseContext, { isCompressed, size }: ServedFile): boolean {
  return compressor != null && isCompressed && (size ?? MIN_GZIP_SIZE) >= MIN_GZIP_SIZE &&
    acceptsCoding(request.headers, 'gzip')
}

function headersOf (
  context: ResponseContext,
  file: ServedFile,
  sending: Sending,
  { type, status }: { type: string, status: number }
): Headers {
  const { etag, range, stored, compressor } = sending

  return contentHeaders(context, {
    etag,
    type,
    length: lengthOf(file, sending),
    encoding: compressor == null ? stored?.coding : 'gzip',
    variesByEncoding: file.isCompressed,
    ranges: status === 200 ? file.size != null : undefined,
    range: range == null || file.size == null ? undefined : { range, size: file.size },
    disposition: contentDisposition(context.target.query, { filename: file.name })
  })
}

/** The range that is answered: of a GET, of a file whose size is known, and if `If-Range` does not forbid it. */
function rangeOf (
  { method, headers }: Request,
  { size }: ServedFile,
  etag: string
): ByteRange | 'unsatisfiable' | undefined {
  if (method !== 'GET' || size == null || !matchesIfRange(headers.get('if-range'), etag)) {
    return undefined
  }

  return parseRange(headers.get('range'), size)
}

function lengthOf ({ size }: ServedFile, { range, stored, compressor }: Sending): number | undefined {
  if (compressor != null) {
    return undefined
  }

  return stored?.length ?? (range == null ? size : range.end - range.start)
}

function checkLimit ({ init: { limits } }: ResponseContext, file: ServedFile, { range, stored }: Sending): void {
  const { size = 0, isCompressed } = file

  if (isCompressed && stored == null && range == null && size > limits.decompressedBytes) {
    throw new BodyTooLargeError(limits.decompressedBytes)
  }
}

/** The body, which closes what it is read from through `unneeded`. */
async function openFile (
  context: ResponseContext,
  file: ServedFile,
  sending: Sending,
  unneeded: AbortController
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { init: { limits } } = context

  return openResponseBody(context, () => read(context, file, sending, unneeded), {
    unneeded,
    length: lengthOf(file, sending),
    limit: file.size == null ? limits.decompressedBytes : undefined
  })
}

function read (
  context: ResponseContext,
  file: ServedFile,
  { range, stored, compressor }: Sending,
  unneeded: AbortController
): AsyncIterable<Uint8Array> {
  const { init: { limits } } = context
  const { content, size } = file

  if (stored != null) {
    return stored.bytes
  }

  if (content != null) {
    return once(content.subarray(range?.start, range?.end))
  }

  if (compressor != null) {
    // the limits are of the original bytes
    const limit = size == null ? limits.decompressedBytes : undefined

    return compressor.gzipFile(checkedLength(readFile(context, file, unneeded), { length: size, limit }))
  }

  return readFile(context, file, unneeded, range)
}

async function * once (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
