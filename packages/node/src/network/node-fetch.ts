import { Agent as AgentOfHttp, globalAgent, IncomingMessage, request as requestHttp } from 'node:http'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ChunkQueue } from '@ipfsz/utils/chunk-queue'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import type { Fetch, GatewayBody, GatewayResponse } from '@ipfsz/core/http'
import type { Agent as HttpAgent, AgentOptions } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction, Socket, SocketConstructorOpts } from 'node:net'
import type { Readable, Transform } from 'node:stream'

/** A response is read ahead of its reader up to about this many bytes, 1 MiB. */
const MAX_AHEAD = 1024 * 1024
/** Maximum number of bytes that are read from a socket at a time, 256 KiB. */
const READ_SIZE = 256 * 1024
/** Others have its modules, but not its way of handling memory: Bun calls `onread` without the socket. */
const isNode = !('Bun' in globalThis || 'Deno' in globalThis)

/** By the names in a Content-Encoding. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/** That of all who bring none. */
let sharedAgent: HttpAgent | undefined

export interface NodeFetchInit {
  /** @default one for http that all share, and that of the process for https */
  agents?: { http: HttpAgent, https?: HttpsAgent }
  /** Resolves names. */
  lookup?: LookupFunction
}

/**
 * An agent whose connections all read into the same memory. Node would read 64 KiB at a time into new memory, of which
 * its parser copies the bodies: at 1 Gbit/s, that and its garbage took a tenth of the processor time of a fetch.
 */
export function createHttpAgent (options: AgentOptions = optionsOf(globalAgent)): HttpAgent {
  const buffer = Buffer.allocUnsafeSlow(READ_SIZE)
  const reading: Pick<SocketConstructorOpts, 'onread'> = {
    onread: {
      buffer,
      // the parser takes all of it before this returns. It pauses the socket by itself
      callback (this: Socket, length: number) {
        if (!this.emit('data', buffer.subarray(0, length))) {
          // nobody asked for it: the server sends something else, or says that it closes the connection
          this.destroy()
        }

        return true
      }
    }
  }

  return new AgentOfHttp({ ...options, ...isNode ? reading : {} })
}

/** The types lack it. That of the process may have a proxy. */
function optionsOf (agent: HttpAgent): AgentOptions {
  return { keepAlive: true, ...(agent as HttpAgent & { options?: AgentOptions }).options }
}

/**
 * A `fetch` of GET requests that loads 40 ms faster than Node's own, and reads a body with less work. It follows no
 * redirect.
 */
export function createNodeFetch ({ agents, lookup }: NodeFetchInit = {}): Fetch {
  const { http, https } = agents ?? { http: sharedAgent ??= createHttpAgent() }

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
    const request = send(url, { ...options, agent: isSecure ? https : http })
    const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    // also listens to an error after the response, which is one of the body too
    request.on('response', resolve).on('error', reject)
    // without an error, if the server switches to another protocol
    request.on('close', () => { reject(new Error('the connection was closed without a response')) })
    request.end()

    return responseOf(await answered)
  }
}

function responseOf (response: IncomingMessage): GatewayResponse {
  const { statusCode: status = 500, headersDistinct } = response
  const get = (name: string): string | null => headersDistinct[name]?.join(', ') ?? null
  const body = bodyOf(decoded(response, get('content-encoding')))

  return { status, headers: { get, has: name => get(name) != null }, body }
}

function decoded (response: IncomingMessage, encoding: string | null): Readable {
  const name = encoding?.trim().toLowerCase() ?? 'identity'

  if (name === 'identity') {
    return response
  }

  const decoder = DECODERS.get(name)?.()

  if (decoder == null) {
    response.destroy()
    throw new Error(`the response has the Content-Encoding ${encoding?.slice(0, 40)}`)
  }

  response.on('error', err => { decoder.destroy(err) })
  decoder.on('close', () => { response.destroy() })

  return response.pipe(decoder)
}

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
        read: async () => ({ value: await chunks.next() }),
        waiting: () => chunks.take(),
        // a decoder may still write into the memory of what it gave
        release: isNode && stream instanceof IncomingMessage ? freeBytes : undefined
      }
    },
    async cancel () { stream.destroy() }
  }
}

/** The chunks of a body, which is closed if not all of them are read. */
export async function * chunksOf (body: GatewayBody): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()

  try {
    for (let chunk = await reader.read(); chunk.value != null; chunk = await reader.read()) {
      yield chunk.value
    }
  } finally {
    await body.cancel()
  }
}
