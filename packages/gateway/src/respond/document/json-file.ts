import { BodyTooLargeError, GatewayError } from '../../errors.ts'
import { followSignal } from '../../follow-signal.ts'
import { shareOfBody } from '../../memory/turns.ts'
import { namesEtag } from '../../request/conditions.ts'
import { MEDIA_TYPES } from '../../request/format.ts'
import { contentDisposition } from '../content-disposition.ts'
import { etagOf } from '../etag.ts'
import { contentHeaders, notModified } from '../headers.ts'
import { closeIfShort, readFile, UNCOUNTED } from '../read-file.ts'
import { openResponseBody } from '../body.ts'
import type { OpenedFile } from '../../resolve/opened-file.ts'
import type { ResponseContext } from '../context.ts'
import type { CID } from 'multiformats/cid'

/**
 * Larger files are not parsed, 1 MiB: only their first character must be one of JSON. Nothing else is answered while a
 * file is parsed, for up to 60 ms.
 */
const MAX_PARSED_SIZE = 1024 * 1024

/** The type of what was parsed, and is not JSON. */
const NOT_JSON = 'application/octet-stream'

/** Memory for parsing one byte of JSON, in bytes: empty lists and maps take the most. */
const PARSED_BYTE = 24

/** What JSON of that size begins with: it is no number. */
const JSON_START = /^\s*[[{"]/

/** How many bytes of white space JSON may begin with. */
const START_LENGTH = 1024

/**
 * A UnixFS file that holds JSON, as `application/json` (Path Gateway, `Accept`). Ranges are those
 * of the file, which is asked for without a format.
 *
 * @throws {GatewayError} 406: it is not a file, or does not hold JSON
 * @throws {BodyTooLargeError} it would have to be decompressed
 */
export async function respondJsonFile (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid, stats, file }, init, target: { query, path } } = context

  if (stats == null || file == null || stats.unixfs?.type === 'symlink') {
    throw new GatewayError(406, `${cid} is not a JSON file`)
  }

  const limit = stats.codec === 'none' ? undefined : init.limits.decompressedBytes
  const size = stats.sizeKnown === false ? undefined : Number(stats.size)
  const etag = etagOf(cid, 'json')
  const isNamed = query.has('filename') || query.has('download')
  const headers = contentHeaders(context, {
    etag,
    type: MEDIA_TYPES.json,
    length: size,
    ranges: false,
    disposition: isNamed ? contentDisposition(query, { filename: path.at(-1) ?? `${cid}.json` }) : undefined
  })

  if (limit != null && (size ?? 0) > limit) {
    throw new BodyTooLargeError(limit)
  }

  if (namesEtag(request.headers.get('if-none-match'), etag)) {
    return notModified(headers)
  }

  const unneeded = followSignal(context.signal)
  const isParsed = size != null && size <= MAX_PARSED_SIZE

  if (isParsed) {
    const type = await init.parts.caches.types.get(
      `${cid}?format=json`,
      async signal => await isJson({ ...context, signal }, { file, size }) ? MEDIA_TYPES.json : NOT_JSON,
      context.signal
    )

    if (type !== MEDIA_TYPES.json) {
      throw notJson(cid)
    }
  }

  const read = (): AsyncIterable<Uint8Array> => {
    const source = readFile(context, { file, size, isCompressed: limit != null }, unneeded)

    return isParsed ? source : beginsLikeJson(cid, source)
  }
  const body = await openResponseBody(context, read, { unneeded, length: size, limit })

  if (request.method === 'HEAD') {
    await body.cancel()

    return new Response(null, { headers })
  }

  return new Response(body, { headers })
}

/** Read all bytes, and check that they are JSON. They are read again to be sent, or a slow client would keep them. */
async function isJson (context: ResponseContext, { file, size }: { file: OpenedFile, size: number }): Promise<boolean> {
  const { init: { memory }, signal } = context
  const cost = await (await file.open(signal)).readCost({ signal })
  const line = size <= UNCOUNTED ? memory.ofSmall : memory
  closeIfShort(file, line)
  const unneeded = followSignal(signal)
  const share = await line.take(shareOfBody(cost.memory + size * PARSED_BYTE, unneeded))
  const read = (signal: AbortSignal): AsyncIterable<Uint8Array> =>
    file.read({ signal, readAhead: false, keepsOpen: true })

  try {
    const body = await openResponseBody({ ...context, signal: unneeded.signal }, read, { length: size })
    const bytes = await new Response(body).arrayBuffer()

    try {
      JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    } catch {
      return false
    }

    return true
  } finally {
    share.give()
  }
}

/** Pass the bytes of a file on, if they begin like JSON. */
async function * beginsLikeJson (cid: CID, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true

  for await (const bytes of source) {
    if (isFirst && !JSON_START.test(new TextDecoder().decode(bytes.subarray(0, START_LENGTH)))) {
      throw notJson(cid)
    }

    isFirst = false
    yield bytes
  }
}

function notJson (cid: CID): GatewayError {
  return new GatewayError(406, `${cid} is not JSON: request it without a format`)
}
