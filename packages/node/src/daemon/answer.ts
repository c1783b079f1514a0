import { once } from 'node:events'
import { readAtMost } from '@ipfsz/utils/read-at-most'
import {
  BadRequestError, cidField as cid, numberField as number, parseBody, parseCid, readFetchRequest, textField as text
} from '../network/fetch-request.ts'
import { lackingHint, MAX_CIDS, MAX_REQUEST_SIZE, PEER_HEADER } from './protocol.ts'
import type { Body } from '../network/fetch-request.ts'
import type { Network } from '../network/network.ts'
import type { CID } from 'multiformats/cid'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Answers a request to the daemon.
 *
 * @throws {BadRequestError} the path is unknown, or the body is not what it takes
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
      const { cid: wanted, options } = readFetchRequest(body)
      const { bytes, sender } = await network.fetch(wanted, {
        ...options,
        signal,
        onLacks: peer => { response.writeEarlyHints(lackingHint(peer)) }
      })
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': bytes.byteLength,
        [PEER_HEADER]: sender
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
      const { cid, path, ttl } = await network.resolveName(text(body, 'name'), signal)
      return json(response, { cid: cid.toString(), path, ttl })
    }
    case '/v0/name/record': {
      const record = await network.nameRecord(text(body, 'name'), signal)
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

function tooLarge (): Error {
  return new BadRequestError(`the request exceeds the limit of ${MAX_REQUEST_SIZE} bytes`, 413)
}

async function readBody (request: IncomingMessage): Promise<Body> {
  const bytes = await readAtMost(request as AsyncIterable<Uint8Array>, MAX_REQUEST_SIZE, tooLarge)

  return bytes.byteLength === 0 ? {} : parseBody(bytes)
}

function cids (body: Body, key: string): CID[] {
  const values = body[key]

  if (!Array.isArray(values) || values.length > MAX_CIDS) {
    throw new BadRequestError(`${key} is not a list of at most ${MAX_CIDS} CIDs`)
  }

  return values.map(value => parseCid(typeof value === 'string' ? value : ''))
}
