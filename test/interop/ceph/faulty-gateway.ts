import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request on its way to the gateway. */
export interface Passing {
  method: string
  /** With the query. */
  path: string
  /** When it arrived, in milliseconds of a monotonic clock. */
  time: number
  /** The answer to the client. */
  response: ServerResponse
  /** Have the gateway carry it out, and return what that answered. */
  forward: () => Promise<GatewayAnswer>
}

interface GatewayAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** What happens to a request in place of passing it on. */
export type Fault = (passing: Passing) => Promise<void>

/** A proxy before a gateway, which does to requests what networks and busy stores do to them. */
export interface FaultyGateway {
  url: string
  /** The requests so far. */
  readonly seen: readonly Passing[]
  /** What happens to the next request. Undefined: nothing. */
  chooseFault: (passing: Passing) => Fault | undefined
  /** From now on connections are refused, and those that are there reset. */
  refuseConnections: () => Promise<void>
  /** Listen again, where it did before. */
  acceptConnections: () => Promise<void>
  close: () => Promise<void>
}

/**
 * @param target - the URL of the gateway
 * @param chooseFault - what happens to requests, by default nothing
 */
export async function faultyGateway (
  target: string,
  chooseFault: FaultyGateway['chooseFault'] = () => undefined
): Promise<FaultyGateway> {
  const seen: Passing[] = []
  const sockets = new Set<Socket>()
  // nobody else has this address, so the port is still free when the proxy comes back
  const [b, c, d] = crypto.getRandomValues(new Uint8Array(3))
  const address = `127.${b}.${c}.${Math.min(Math.max(d, 1), 254)}`
  let port = 0

  const server: Server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    const time = performance.now()
    const pass = async (): Promise<void> => {
      const body = await buffer(request)
      const forward: Passing['forward'] = async () => ask(new URL(path, target), method, headers, body)
      const passing = { method, path, time, response, forward }
      const fault = proxy.chooseFault(passing)
      seen.push(passing)
      await (fault ?? passOn)(passing)
    }

    // a client that has gone, or a gateway that does not answer
    pass().catch(() => { response.destroy() })
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => { sockets.delete(socket) })
  })
  const listen = async (): Promise<void> => {
    server.listen(port, address)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  const stop = async (): Promise<void> => {
    if (server.listening) {
      const closed = once(server, 'close')
      server.close()
      sockets.forEach(socket => { socket.resetAndDestroy() })
      await closed
    }
  }

  await listen()
  const proxy: FaultyGateway = {
    url: `http://${address}:${port}`,
    seen,
    chooseFault,
    refuseConnections: stop,
    acceptConnections: listen,
    close: stop
  }

  return proxy
}

/** Each request is sent over a connection of its own, which nobody else breaks. */
async function ask (url: URL, method: string, headers: IncomingHttpHeaders, body: Buffer): Promise<GatewayAnswer> {
  // the `Host` is that of the proxy, which the client has signed
  const request = send(url, { method, headers: { ...headers, connection: 'close' }, agent: false })
  request.end(body)
  const [response] = await once(request, 'response')

  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

function writeHead (response: ServerResponse, { status, headers }: GatewayAnswer): void {
  const { connection: _, 'transfer-encoding': __, ...rest } = headers
  response.writeHead(status, rest as Record<string, string>)
}

async function passOn ({ response, forward }: Passing): Promise<void> {
  const answer = await forward()
  writeHead(response, answer)
  response.end(answer.body)
}

/** An error of the store, whose requests are not carried out. */
export function refuse (status: number, code: string, headers: Record<string, string> = {}): Fault {
  return async ({ response }) => {
    response.writeHead(status, headers).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
  }
}

/** The request is carried out, and answered with an error all the same. */
export function carryOutAnd (fault: Fault): Fault {
  return async passing => {
    await passing.forward()
    await fault(passing)
  }
}

/** The connection breaks before anything is answered. */
export const hangUp: Fault = async ({ response }) => { response.destroy() }

/** The answer comes in small pieces, with a pause after each, in milliseconds. */
export function drip (bytes: number, pause: number): Fault {
  return async ({ response, forward }) => {
    const answer = await forward()
    writeHead(response, answer)
    response.flushHeaders()

    for (let at = 0; at < answer.body.byteLength && !response.destroyed; at += bytes) {
      response.write(answer.body.subarray(at, at + bytes))
      await delay(pause)
    }

    response.end()
  }
}

/** The connection breaks in the middle of the answer. */
export const cutShort: Fault = async ({ response, forward }) => {
  const answer = await forward()
  writeHead(response, answer)
  await new Promise<void>(resolve => {
    response.write(answer.body.subarray(0, answer.body.byteLength >> 1), () => { resolve() })
  })
  response.destroy()
}
