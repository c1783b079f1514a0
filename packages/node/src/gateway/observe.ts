import { clientAddress } from '@ipfsz/gateway/node'
import { kindOf } from './metrics.ts'
import type { AccessEntry } from './access-log.ts'
import type { Metrics } from './metrics.ts'
import type { IsTrusted } from '@ipfsz/gateway/node'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'

export interface ObserveInit {
  metrics: Pick<Metrics, 'begin' | 'end'>
  /** Proxies whose `X-Forwarded-For` is believed. */
  isTrusted: IsTrusted
  /** The time, in milliseconds since 1970. */
  now: () => number
  /** Called when a response is over. */
  onEntry?: ((entry: AccessEntry) => void) | undefined
}

/** Count every request of a server, before anything else answers it, and describe it when it is over. */
export function observe (server: Server, { metrics, isTrusted, now, onEntry }: ObserveInit): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const [time, start] = [now(), performance.now()]
    const { method = '-', url = '-', httpVersion, headers } = request
    // a socket that has closed has no address any more
    const address = clientAddress(request, isTrusted)
    const sent = countBody(response)

    metrics.begin()

    response.once('close', () => {
      const { statusCode: status, writableFinished: complete } = response
      const header = (name: string): string | undefined => response.getHeader(name)?.toString()
      const encoding = header('content-encoding')
      const entry: AccessEntry = {
        time,
        address,
        method,
        url,
        httpVersion,
        host: headers.host,
        status,
        bytes: sent.bytes,
        duration: performance.now() - start,
        encoding,
        complete,
        referer: headers.referer,
        userAgent: headers['user-agent']
      }

      metrics.end(kindOf({
        status,
        contentType: header('content-type'),
        contentEncoding: encoding,
        etag: header('etag')
      }), entry)
      onEntry?.(entry)
    })
  })
}

/** Count the bytes that are written to a body, without another stream in between. */
function countBody (response: ServerResponse): { bytes: number } {
  const sent = { bytes: 0 }
  const { write, end } = response
  const count = (chunk: unknown): void => {
    if (chunk instanceof Uint8Array || typeof chunk === 'string') {
      sent.bytes += Buffer.byteLength(chunk)
    }
  }

  // both have several signatures, of which the first argument alone matters
  response.write = function (...args: Parameters<typeof write>) {
    count(args[0])

    return Reflect.apply(write, response, args)
  } as typeof write
  response.end = function (...args: Parameters<typeof end>) {
    count(args[0])

    return Reflect.apply(end, response, args)
  } as typeof end

  return sent
}
