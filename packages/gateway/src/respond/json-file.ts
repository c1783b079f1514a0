import { GatewayError } from '../errors.ts'
import { MEDIA_TYPES } from '../request/format.ts'
import { bodyStream } from './body-stream.ts'
import { limitBytes, tooLarge } from './decompression-limit.ts'
import { isNotModified, notModified, representationHeaders } from './representation.ts'
import type { ByteSource } from './body-stream.ts'
import type { ResponseContext } from './context.ts'
import type { Representation } from './representation.ts'
import type { Stats } from '@ipfsz/core'

/** Larger files are not parsed, 4 MiB: only their first character must be one of JSON. */
const MAX_PARSED_SIZE = 4 * 1024 * 1024

/** What JSON of that size begins with: it is no number. */
const JSON_START = /^\s*[[{"]/

/**
 * A UnixFS file that holds JSON, as `application/json` (Path Gateway, `Accept`). Ranges are those
 * of the file, which is asked for without a format.
 *
 * @throws {GatewayError} 406: it is not a file, or does not hold JSON. 403: it would have to be
 *   decompressed, and is too large
 */
export async function respondJsonFile (context: ResponseContext): Promise<Response> {
  const { request, resolved: { cid, stats }, components, init: { limits }, signal } = context

  if (stats == null || !isFile(stats)) {
    throw new GatewayError(406, `${cid} is not a file that holds JSON`)
  }

  const compressed = stats.codec !== 'none'
  const size = stats.sizeKnown === false ? undefined : Number(stats.size)
  const etag = `"${cid}.json"`
  const headers = representationHeaders(context, { etag, contentType: MEDIA_TYPES.json, disposition: named(context) })

  if (compressed && (size ?? 0) > limits.decompressedBytes) {
    throw tooLarge(limits.decompressedBytes)
  }

  if (isNotModified(request, etag)) {
    return notModified(headers)
  }

  const source = components.fs.cat(cid, { signal })
  const bytes = compressed ? limitBytes(source, limits.decompressedBytes) : source
  const body = size == null || size > MAX_PARSED_SIZE ? await beginning(bytes) : await whole(bytes)

  if (body == null) {
    throw new GatewayError(406, `${cid} does not hold JSON: ask for it without a format`)
  }

  if (size != null) {
    headers.set('content-length', String(size))
  }

  if (request.method === 'HEAD') {
    await (body instanceof Uint8Array ? undefined : body.return())

    return new Response(null, { headers })
  }

  return new Response(body instanceof Uint8Array ? new Uint8Array(body) : bodyStream(body), { headers })
}

function isFile (stats: Stats): boolean {
  return stats.type === 'raw' || (stats.type === 'file' && stats.unixfs.type !== 'symlink')
}

/** A name only if the request asks for one: a file is shown. */
function named ({ target: { query, path }, resolved }: ResponseContext): Representation['disposition'] {
  return query.has('filename') || query.has('download')
    ? { type: 'inline', filename: path.at(-1) ?? `${resolved.cid}.json` }
    : undefined
}

/** All bytes, if they are JSON. */
async function whole (source: AsyncIterable<Uint8Array>): Promise<Uint8Array | undefined> {
  const bytes = await new Response(bodyStream(generate(source))).bytes()

  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))

    return bytes
  } catch {
    return undefined
  }
}

/** The bytes, if they begin like JSON. */
async function beginning (source: AsyncIterable<Uint8Array>): Promise<ByteSource | undefined> {
  const rest = generate(source)
  const { value: first } = await rest.next()

  if (!(first instanceof Uint8Array) || !JSON_START.test(new TextDecoder().decode(first.subarray(0, 1024)))) {
    await rest.return(undefined)

    return undefined
  }

  let begin: Uint8Array | undefined = first

  return {
    async next () {
      const value = begin
      begin = undefined

      return value == null ? rest.next() : { done: false, value }
    },

    return: async () => rest.return(undefined)
  }
}

async function * generate (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield * source
}
