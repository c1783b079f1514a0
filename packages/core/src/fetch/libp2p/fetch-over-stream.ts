import { readResponseHead } from './response-head.ts'
import { chunksOf } from './stream-chunks.ts'
import type { StreamChunks } from './stream-chunks.ts'
import type { GatewayBody, GatewayResponse } from '../http/open-response.ts'
import type { Stream } from '@libp2p/interface'

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
): Promise<GatewayResponse> {
  const onAbort = (): void => { stream.abort(toError(signal?.reason)) }
  const release = (): void => { signal?.removeEventListener('abort', onAbort) }

  signal?.addEventListener('abort', onAbort, { once: true })
  stream.addEventListener('close', release, { once: true })

  try {
    signal?.throwIfAborted()
    const chunks = chunksOf(stream)
    stream.send(new TextEncoder().encode(requestHead(url, new Headers(headers))))
    const { status, headers: fields, rest } = await readResponseHead(chunks)
    chunks.unread(rest)

    return { status, headers: fields, body: bodyOf(stream, chunks, release) }
  } catch (err) {
    stream.abort(toError(err))
    throw err
  }
}

function requestHead ({ pathname, search, host }: URL, headers: Headers): string {
  const fields = [['host', host], ...headers].map(([name, value]) => `${name}: ${value}\r\n`)

  return `GET ${pathname}${search} HTTP/1.0\r\n${fields.join('')}\r\n`
}

function bodyOf (stream: Stream, chunks: StreamChunks, release: () => void): GatewayBody {
  return {
    getReader: () => ({
      waiting: () => chunks.take(),
      async read () {
        const value = await chunks.next()

        if (value == null) {
          // what has ended is not reset: to close a stream of WebRTC takes a round trip
          release()
          // only now: some servers take the end of the requests for a client that left
          stream.close().catch(() => {})
        }

        return { value }
      }
    }),
    async cancel () { stream.abort(new Error('the response is no longer needed')) }
  }
}

function toError (reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
