import { readResponseHead } from './response-head.ts'
import { chunksOf } from './stream-chunks.ts'
import type { StreamChunks } from './stream-chunks.ts'
import type { Stream } from '@libp2p/interface'

/** Statuses whose responses have no body, and no `Response` may have one (Fetch, section 2.2.3). */
const WITHOUT_BODY: readonly number[] = [204, 205, 304]

/**
 * Send a GET request over a stream of `HTTP_PROTOCOL`, and return its response. What its reader does not take, the peer
 * does not send.
 *
 * It asks in HTTP/1.0, so that the body is the rest of the stream: libp2p tells its end from a break, and there are no
 * chunks to parse. `@libp2p/http` and its parser are not used, because a hostile peer can fill the memory through the
 * one and block the process through the other (docs/upstream.md).
 *
 * @throws {InvalidResponseError} the peer does not answer in HTTP
 * @throws {Error} the stream was reset
 */
export async function fetchOverStream (
  stream: Stream,
  url: URL,
  { headers, signal }: Pick<RequestInit, 'headers' | 'signal'> = {}
): Promise<Response> {
  const onAbort = (): void => { stream.abort(toError(signal?.reason)) }
  const release = (): void => { signal?.removeEventListener('abort', onAbort) }

  signal?.addEventListener('abort', onAbort, { once: true })

  try {
    signal?.throwIfAborted()
    const chunks = chunksOf(stream)
    stream.send(new TextEncoder().encode(requestHead(url, new Headers(headers))))
    const head = await readResponseHead(chunks)

    if (WITHOUT_BODY.includes(head.status)) {
      release()
      await stream.close()

      return new Response(null, head)
    }

    return new Response(bodyOf(stream, chunks, head.rest, release), head)
  } catch (err) {
    release()
    stream.abort(toError(err))
    throw err
  }
}

function requestHead ({ pathname, search, host }: URL, headers: Headers): string {
  const fields = [['host', host], ...headers].map(([name, value]) => `${name}: ${value}\r\n`)

  return `GET ${pathname}${search} HTTP/1.0\r\n${fields.join('')}\r\n`
}

function bodyOf (
  stream: Stream,
  chunks: StreamChunks,
  rest: Uint8Array,
  release: () => void
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let first: Uint8Array | undefined = rest.byteLength === 0 ? undefined : rest

  return new ReadableStream({
    async pull (controller) {
      try {
        const bytes = first ?? await chunks.next()
        first = undefined

        if (bytes != null) {
          controller.enqueue(bytes as Uint8Array<ArrayBuffer>)
          return
        }

        release()
        // only now: some servers take the end of the requests for a client that left
        stream.close().catch(() => {})
        controller.close()
      } catch (err) {
        release()
        throw err
      }
    },
    cancel () {
      release()
      stream.abort(new Error('the response is not needed any longer'))
    }
  }, { highWaterMark: 0 })
}

function toError (reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
