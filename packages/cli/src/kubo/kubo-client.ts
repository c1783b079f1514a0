import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { CID } from 'multiformats/cid'
import type { KuboClient } from '@ipfsz/core/kubo'
import type { IncomingMessage } from 'node:http'

/** The most that is taken of an answer, in bytes: blocks have at most 2 MiB. */
const MAX_ANSWER = 4 * 1024 * 1024

/** How many requests are under way at one time. */
const MAX_SOCKETS = 8

interface Call {
  /** What the query says. What is undefined is left out. */
  values: Record<string, unknown>
  signal?: AbortSignal | undefined
  block?: Uint8Array
}

/** The answer has a status that is not 200. */
class AnswerError extends Error {
  static override readonly name = 'AnswerError'
  override readonly name = 'AnswerError'
  readonly response: { status: number }

  constructor (status: number, message: string) {
    super(message)
    this.response = { status }
  }
}

/**
 * The RPC API of a Kubo, as far as it is needed to add. `kubo-rpc-client` takes an answer
 * however long it is (1.5 GB in 10 s of a server that goes on for ever), follows
 * redirects with the file that is added, and gives up after 300 s what Kubo needs longer for.
 */
export class CommandKuboClient implements KuboClient {
  readonly #url: URL
  readonly #headers: Record<string, string>
  readonly #agent: HttpAgent

  /** @param url - the path of it leads to the API, `/api/v0` where it has none */
  constructor (url: URL, headers: Record<string, string>) {
    this.#url = url
    this.#headers = headers
    this.#agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS })
  }

  readonly block: KuboClient['block'] = {
    put: async (block, { cidCodec, mhtype, mhlen, pin, signal } = {}) => {
      const { Key } = await this.#object('block/put', { values: { 'cid-codec': cidCodec, mhtype, mhlen, pin }, signal, block })

      return parseCid(Key)
    },

    get: async (cid, { offline, signal } = {}) => this.#bytes('block/get', { values: { arg: cid, offline }, signal }),

    stat: async (cid, { offline, signal } = {}) => {
      const { Size } = await this.#object('block/stat', { values: { arg: cid, offline }, signal })

      if (typeof Size !== 'number') {
        throw new Error('it says no size of a block')
      }

      return { size: Size }
    }
  }

  readonly pin: KuboClient['pin'] = {
    add: async (cid, { name, offline, signal } = {}) => {
      const { Pins } = await this.#object('pin/add', { values: { arg: cid, name, offline }, signal })

      return parseCid(Array.isArray(Pins) ? Pins[0] : undefined)
    }
  }

  async #object (command: string, call: Call): Promise<Record<string, unknown>> {
    const value: unknown = JSON.parse((await this.#bytes(command, call)).toString())

    return value != null && typeof value === 'object' ? value as Record<string, unknown> : {}
  }

  async #bytes (command: string, call: Call): Promise<Buffer> {
    const response = await this.#ask(command, call)
    const chunks: Buffer[] = []
    let length = 0

    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.byteLength

      if (length > MAX_ANSWER) {
        // leaving the loop ends the connection
        throw new Error(`it answers with more than ${MAX_ANSWER} bytes`)
      }
    }

    const bytes = Buffer.concat(chunks)
    const { statusCode = 0, statusMessage = '' } = response

    if (statusCode !== 200) {
      throw new AnswerError(statusCode, reason(bytes.toString()) || statusMessage)
    }

    return bytes
  }

  async #ask (command: string, call: Call): Promise<IncomingMessage> {
    const url = new URL(this.#url)
    url.pathname = `${url.pathname.replace(/\/+$/, '') || '/api/v0'}/${command}`

    for (const [key, value] of Object.entries(call.values)) {
      if (value != null) {
        url.searchParams.set(key, String(value))
      }
    }

    const { type, body } = multipart(call.block)

    return new Promise((resolve, reject) => {
      const again = (): void => {
        const headers = { ...this.#headers, ...type == null ? {} : { 'content-type': type }, 'content-length': body.byteLength }
        const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { method: 'POST', agent: this.#agent, headers, signal: call.signal })

        request.on('response', resolve)
        request.on('error', (err: NodeJS.ErrnoException) => {
          // the server closed a connection in the moment in which it was used again
          if (request.reusedSocket && err.code === 'ECONNRESET') {
            again()
          } else {
            reject(err)
          }
        })
        request.end(body)
      }

      again()
    })
  }
}

/** As a file of a form, which is how Kubo takes a block. */
function multipart (block?: Uint8Array): { type?: string, body: Buffer } {
  if (block == null) {
    return { body: Buffer.alloc(0) }
  }

  const boundary = randomUUID()

  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="block"\r\nContent-Type: application/octet-stream\r\n\r\n`),
      block,
      Buffer.from(`\r\n--${boundary}--\r\n`)
    ])
  }
}

function parseCid (text: unknown): CID {
  if (typeof text !== 'string') {
    throw new Error('it names no CID')
  }

  return CID.parse(text)
}

/** Kubo says what is wrong as an object with a message, whatever stands before it perhaps otherwise. */
function reason (text: string): string {
  try {
    const { Message } = JSON.parse(text) as { Message?: unknown }

    return typeof Message === 'string' ? Message : text
  } catch {
    return text
  }
}
