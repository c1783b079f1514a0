import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ChunkQueue } from '@ipfsz/codecs/internal'
import type { Fetch, GatewayBody, GatewayResponse } from '@ipfsz/core/http'
import type { Agent as HttpAgent, IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'

/** A response is read ahead of its reader up to about this many bytes, 1 MiB. */
const MAX_AHEAD = 1024 * 1024

export interface NodeFetchInit {
  /** @default those of the process */
  agents?: { http: HttpAgent, https: HttpsAgent }
  /** Resolves names. */
  lookup?: LookupFunction
}

/**
 * A `fetch` of GET requests that loads 40 ms faster than Node's own, and reads a body with less work. It follows no
 * redirect.
 */
export function createNodeFetch ({ agents, lookup }: NodeFetchInit = {}): Fetch {
  return async (url, { headers, signal }) => {
    const isSecure = url.protocol === 'https:'
    // TLS takes milliseconds to load
    const send = isSecure ? (await import('node:https')).request : requestHttp
    const options = {
      // as Node's own
      headers: { 'accept-encoding': isSecure ? 'gzip, deflate, br' : 'gzip, deflate', ...headers },
      ...lookup == null ? {} : { lookup },
      ...signal == null ? {} : { signal }
    }
    const request = send(url, { ...options, agent: isSecure ? agents?.https : agents?.http })
    // one after the response is an error of the body, too
    request.on('error', () => {})
    const [response] = await once(request.end(), 'response') as [IncomingMessage]

    return responseOf(response)
  }
}

function responseOf (response: IncomingMessage): GatewayResponse {
  const { statusCode: status = 500, headersDistinct } = response
  const get = (name: string): string | null => headersDistinct[name]?.join(', ') ?? null
  const body = bodyOf(decoded(response, get('content-encoding')))

  return { status, headers: { get, has: name => get(name) != null }, body }
}

/** @throws {Error} the Content-Encoding is not one that was asked for */
function decoded (response: IncomingMessage, encoding: string | null): Readable {
  const decoder = decoderOf(encoding?.trim().toLowerCase() ?? 'identity')

  if (decoder === 'unknown') {
    response.destroy()
    throw new Error(`the response has the Content-Encoding ${encoding?.slice(0, 40)}`)
  }

  if (decoder == null) {
    return response
  }

  response.on('error', err => { decoder.destroy(err) })
  decoder.on('close', () => { response.destroy() })

  return response.pipe(decoder)
}

function decoderOf (encoding: string): ReturnType<typeof createGunzip> | 'unknown' | undefined {
  switch (encoding) {
    case 'identity': return undefined
    case 'gzip':
    case 'x-gzip': return createGunzip()
    case 'deflate': return createInflate()
    case 'br': return createBrotliDecompress()
    default: return 'unknown'
  }
}

/** The body of a response, read as a `ReadableStream` is. */
function bodyOf (stream: Readable): GatewayBody {
  const chunks = new ChunkQueue({
    maxWaiting: MAX_AHEAD,
    pause () { stream.pause() },
    resume () {
      if (stream.isPaused()) {
        stream.resume()
      }
    }
  })

  // also before it is read: an error must not end the process
  stream.on('error', err => { chunks.end(err) })
  stream.on('end', () => { chunks.end() })
  stream.on('close', () => { chunks.end(new Error('the connection was closed')) })

  return {
    getReader () {
      stream.on('data', (chunk: Buffer) => { chunks.push(chunk) })

      return {
        async read () {
          const value = await chunks.next()

          return { done: value == null, value }
        }
      }
    },
    async cancel () { stream.destroy() }
  }
}
