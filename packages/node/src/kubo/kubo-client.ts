// Room: a client of Kubo's RPC API.
import { NamedError } from '@ipfsz/utils/named-error'
import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { KuboFailedError, NotKuboError } from '@ipfsz/core/kubo'
import { readAtMost, readTextAtMost } from '@ipfsz/utils/read-at-most'
import { CID } from 'multiformats/cid'
import type { KuboClient } from '@ipfsz/core/kubo'
import type { IncomingMessage } from 'node:http'

/** Maximum number of bytes of an answer: blocks have at most 2 MiB. */
const MAX_ANSWER = 4 * 1024 * 1024

/** Maximum number of characters of a line about a pin: names have at most 255 bytes. */
const MAX_LINE = 64 * 1024

/** Maximum number of characters of a CID: to decode a longer one takes quadratic time. */
const MAX_CID_LENGTH = 512

/** How many requests are under way at once. */
const MAX_SOCKETS = 8

interface Call {
  /** The parameters of the query, without those that are undefined. */
  values: Record<string, unknown>
  signal?: AbortSignal | undefined
  block?: Uint8Array
}

/** Thrown when an answer has a status other than 200. */
class AnswerError extends NamedError {
  static override readonly name = 'AnswerError'
  readonly response: { status: number }

  constructor (status: number, message: string) {
    super(message)
    this.response = { status }
  }
}

/**
 * A client for the part of Kubo's RPC API that adding needs. Follows no redirect.
 *
 * `kubo-rpc-client` is not used. It reads answers of any length: 1.5 GB in 10 s from a server that never stops. It
 * follows redirects of requests without a body; a `block.put` that is redirected with 307 fails with `TypeError: fetch
 * failed`. It aborts after 300 s, though Kubo may take longer.
 */
export class CommandKuboClient implements KuboClient {
  readonly #url: URL
  readonly #headers: Record<string, string>
  readonly #agent: HttpAgent

  /** @param url - of the API; without a path, `/api/v0` is used */
  constructor (url: URL, headers: Record<string, string>) {
    this.#url = url
    this.#headers = headers
    this.#agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS })
  }

  readonly block: KuboClient['block'] = {
    put: async (block, { cidCodec, mhtype, mhlen, pin, signal } = {}) => {
      const values = { 'cid-codec': cidCodec, mhtype, mhlen, pin }
      const { Key } = await this.#object('block/put', { values, signal, block })

      return parseCid(Key)
    },

    get: async (cid, { offline, signal } = {}) => this.#bytes('block/get', { values: { arg: cid, offline }, signal }),

    stat: async (cid, { offline, signal } = {}) => {
      const { Size } = await this.#object('block/stat', { values: { arg: cid, offline }, signal })

      if (typeof Size !== 'number') {
        throw new Error(`its answer to block/stat for ${String(cid)} has no size`)
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

  /**
   * The recursive pins, as Kubo finds them.
   *
   * @throws {NotKuboError} a line of the answer is not a pin
   */
  async * pins (signal: AbortSignal): AsyncGenerator<{ cid: CID, name?: string }> {
    const values = { type: 'recursive', stream: true, names: true }
    const response = await this.#ask('pin/ls', { values, signal })

    if (response.statusCode !== 200) {
      const tooLarge = (): Error => new Error(`its error exceeds the limit of ${MAX_ANSWER} bytes`)
      const text = await readTextAtMost(response as AsyncIterable<Uint8Array>, MAX_ANSWER, tooLarge)
      throw new KuboFailedError(reason(text) || (response.statusMessage ?? ''))
    }

    for await (const line of lines(response as AsyncIterable<Uint8Array>)) {
      const { Cid, Name } = parsePin(line)

      yield { cid: Cid, ...typeof Name === 'string' && Name !== '' ? { name: Name } : {} }
    }
  }

  /** Remove a recursive pin. */
  async unpin (cid: CID, signal: AbortSignal): Promise<void> {
    try {
      await this.#object('pin/rm', { values: { arg: cid }, signal })
    } catch (err) {
      throw err instanceof AnswerError ? new KuboFailedError(err.message, { cause: err }) : err
    }
  }

  async #object (command: string, call: Call): Promise<Record<string, unknown>> {
    const value: unknown = JSON.parse(new TextDecoder().decode(await this.#bytes(command, call)))

    return value != null && typeof value === 'object' ? value as Record<string, unknown> : {}
  }

  async #bytes (command: string, call: Call): Promise<Uint8Array> {
    const response = await this.#ask(command, call)
    const tooLarge = (): Error => new Error(`its answer to ${command} exceeds the limit of ${MAX_ANSWER} bytes`)
    const bytes = await readAtMost(response as AsyncIterable<Uint8Array>, MAX_ANSWER, tooLarge)
    const { statusCode = 0, statusMessage = '' } = response

    if (statusCode !== 200) {
      throw new AnswerError(statusCode, reason(new TextDecoder().decode(bytes)) || statusMessage)
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
      const send = (): void => {
        const headers = {
          ...this.#headers,
          ...type == null ? {} : { 'content-type': type },
          'content-length': body.byteLength
        }
        const options = { method: 'POST', agent: this.#agent, headers, signal: call.signal }
        const request = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options)

        request.on('response', resolve)
        request.on('error', (err: NodeJS.ErrnoException) => {
          // the server closed a kept-alive connection just as this request reused it
          if (request.reusedSocket && err.code === 'ECONNRESET') {
            send()
          } else {
            reject(err)
          }
        })
        request.end(body)
      }

      send()
    })
  }
}

/** Encode a block as a file of a form, which is what Kubo accepts. */
function multipart (block?: Uint8Array): { type?: string, body: Buffer } {
  if (block == null) {
    return { body: Buffer.alloc(0) }
  }

  const boundary = randomUUID()

  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="block"\r\n` +
          'Content-Type: application/octet-stream\r\n\r\n'
      ),
      block,
      Buffer.from(`\r\n--${boundary}--\r\n`)
    ])
  }
}

/** The lines of a text, without empty ones. */
async function * lines (source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''

  for await (const bytes of source) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop() ?? ''

    if (rest.length > MAX_LINE) {
      throw new NotKuboError(`a line of its answer to pin/ls exceeds the limit of ${MAX_LINE} characters`)
    }

    yield * parts.filter(line => line !== '')
  }

  if (rest !== '') {
    yield rest
  }
}

function parsePin (line: string): { Cid: CID, Name?: unknown } {
  try {
    const { Cid, Name } = JSON.parse(line) as { Cid?: unknown, Name?: unknown }

    return { Cid: parseCid(Cid), Name }
  } catch (err) {
    throw new NotKuboError('its answer to pin/ls has a line that is not a pin', { cause: err })
  }
}

function parseCid (text: unknown): CID {
  if (typeof text !== 'string' || text.length > MAX_CID_LENGTH) {
    throw new Error('its answer has no CID')
  }

  return CID.parse(text)
}

/** The message in Kubo's JSON error, or the text itself: a proxy before Kubo may answer with another format. */
function reason (text: string): string {
  try {
    const { Message } = JSON.parse(text) as { Message?: unknown }

    return typeof Message === 'string' ? Message : text
  } catch {
    return text
  }
}
