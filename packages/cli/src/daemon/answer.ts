import { once } from 'node:events'
import { CID } from 'multiformats/cid'
import { readAtMost } from '../read-at-most.ts'
import { MAX_CIDS, MAX_REQUEST_SIZE, PEER_HEADER } from './protocol.ts'
import type { FilePart } from '@ipfsz/core'
import type { ReadPlan } from '@ipfsz/core/http'
import type { Network } from '../network/network.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Thrown when the daemon cannot answer a request. `status` is the HTTP status. */
export class BadRequestError extends Error {
  static override readonly name = 'BadRequestError'
  override readonly name = 'BadRequestError'
  readonly status: number

  constructor (message: string, status = 400, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

type Body = Record<string, unknown>

/**
 * Answers a request to the daemon.
 *
 * @throws {BadRequestError} the path is unknown, or the body is not what it takes
 * @throws errors of the network
 */
export async function answer (
  request: IncomingMessage,
  response: ServerResponse,
  network: Network,
  signal: AbortSignal
): Promise<void> {
  const body = await readBody(request)

  switch (request.url) {
    case '/v0/id':
      return json(response, await network.id())
    case '/v0/peers':
      return json(response, await network.peers())
    case '/v0/connect':
      return json(response, { peerId: await network.connect(text(body, 'address'), signal) })
    case '/v0/fetch': {
      const { size, part, plan } = body
      const { bytes, peerId } = await network.fetch(cid(body, 'cid'), {
        root: cid(body, 'root'),
        ...size == null ? {} : { size: number(body, 'size') },
        ...part == null ? {} : { part: filePart(object(body, 'part')) },
        ...plan == null ? {} : { plan: readPlan(object(body, 'plan')) },
        search: body.search === 'lost' || body.search === 'none' ? body.search : 'all',
        store: body.store !== false,
        signal
      })
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': bytes.byteLength,
        [PEER_HEADER]: peerId
      })
      response.end(bytes)
      return
    }
    case '/v0/fetch/providers':
      return json(response, { count: await network.providerCount(cid(body, 'root')) })
    case '/v0/providers':
      return lines(response, network.findProviders(cid(body, 'cid'), signal), signal)
    case '/v0/provide':
      await network.provide(cids(body, 'cids'))
      return json(response, {})
    case '/v0/name/publish': {
      const { lifetime } = body
      const { name, cid: published, sequence } = await network.publishName(cid(body, 'cid'), text(body, 'path'), {
        key: text(body, 'key'),
        ...lifetime == null ? {} : { lifetime: number(body, 'lifetime') },
        signal
      })
      return json(response, { name, cid: published.toString(), sequence: sequence.toString() })
    }
    case '/v0/name/resolve': {
      const { cid, path, ttl } = await network.resolveName(text(body, 'name'), { signal })
      return json(response, { cid: cid.toString(), path, ttl })
    }
    case '/v0/name/record': {
      const record = await network.nameRecord(text(body, 'name'), { signal })
      return json(response, { record: Buffer.from(record).toString('base64') })
    }
    default:
      throw new BadRequestError(`unknown path ${request.url}`, 404)
  }
}

function json (response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Writes one JSON object per line, as the values arrive. */
async function lines (response: ServerResponse, values: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.flushHeaders()

  for await (const value of values) {
    if (!response.write(`${JSON.stringify(value)}\n`)) {
      await once(response, 'drain', { signal })
    }
  }

  response.end()
}

async function readBody (request: IncomingMessage): Promise<Body> {
  const tooLarge = (): Error => new BadRequestError(`the request is larger than ${MAX_REQUEST_SIZE} bytes`, 413)
  const bytes = await readAtMost(request as AsyncIterable<Uint8Array>, MAX_REQUEST_SIZE, tooLarge)

  try {
    const body = JSON.parse(bytes.byteLength === 0 ? '{}' : bytes.toString()) as unknown

    if (typeof body === 'object' && body != null) {
      return body as Body
    }
  } catch (err) {
    throw new BadRequestError('the request is not valid JSON', 400, { cause: err })
  }

  throw new BadRequestError('the request is not a JSON object')
}

function text (body: Body, key: string): string {
  const value = body[key]

  if (typeof value !== 'string') {
    throw new BadRequestError(`${key} is not a string`)
  }

  return value
}

function number (body: Body, key: string): number {
  const value = body[key]

  if (typeof value !== 'number' || !(value > 0)) {
    throw new BadRequestError(`${key} is not a number above 0`)
  }

  return value
}

function object (body: Body, key: string): Body {
  const value = body[key]

  if (typeof value !== 'object' || value == null) {
    throw new BadRequestError(`${key} is not an object`)
  }

  return value as Body
}

function filePart (body: Body): FilePart {
  const { start, end } = body

  if (!isPosition(start) || !isPosition(end) || end <= start) {
    throw new BadRequestError('part is not a range of bytes')
  }

  return { file: cid(body, 'file'), start, end }
}

function isPosition (value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function readPlan (body: Body): ReadPlan {
  const { scope } = body

  if (scope !== 'all' && scope !== 'entity' && scope !== 'block') {
    throw new BadRequestError('plan has no known scope')
  }

  return { scope, path: text(body, 'path') }
}

function cid (body: Body, key: string): CID {
  return parse(text(body, key))
}

function cids (body: Body, key: string): CID[] {
  const values = body[key]

  if (!Array.isArray(values) || values.length > MAX_CIDS) {
    throw new BadRequestError(`${key} is not a list of at most ${MAX_CIDS} CIDs`)
  }

  return values.map(value => parse(typeof value === 'string' ? value : ''))
}

function parse (text: string): CID {
  try {
    return CID.parse(text)
  } catch (err) {
    throw new BadRequestError(`${JSON.stringify(text)} is not a CID`, 400, { cause: err })
  }
}
