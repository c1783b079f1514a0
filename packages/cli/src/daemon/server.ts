import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { answer } from './answer.ts'
import { refuse } from './guard.ts'
import { toWire } from './protocol.ts'
import type { Network } from '../network/network.ts'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** How many connections there may be at one time. A command that fetches has up to 24. */
export const MAX_CONNECTIONS = 1024
/** The most bytes of headers. */
const MAX_HEADER_SIZE = 8 * 1024
/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT = 10_000

export interface DaemonServer {
  port: number
  token: string
  close: () => Promise<void>
}

/**
 * Let commands of the same user use a network. On 127.0.0.1 and with a token, not on a
 * Unix socket: the path of one is at most 107 bytes long, and Windows has other ones.
 *
 * @throws {Error} as of `listen`
 */
export async function serveNetwork (network: Network): Promise<DaemonServer> {
  const token = randomBytes(32).toString('hex')
  const closed = new AbortController()
  const connections = new Connections()

  const server = createServer({ maxHeaderSize: MAX_HEADER_SIZE, headersTimeout: REQUEST_TIMEOUT, requestTimeout: REQUEST_TIMEOUT, connectionsCheckingInterval: 1000 }, (request, response) => {
    const { port } = server.address() as AddressInfo
    const refusal = refuse(request, { port, token })

    if (refusal != null) {
      sayNo(response, refusal.status, { name: 'RefusedError', message: refusal.reason })
      return
    }

    connections.trust(request.socket)

    const gone = new AbortController()
    response.once('close', () => { gone.abort() })

    answer(request, response, network, AbortSignal.any([gone.signal, closed.signal])).catch((err: unknown) => {
      if (response.headersSent) {
        // half an answer must not look like a whole one
        response.destroy()
      } else {
        sayNo(response, 'status' in (err as object) ? (err as { status: number }).status : 500, toWire(err))
      }
    })
  })

  server.on('connection', socket => { connections.add(socket) })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    port: (server.address() as AddressInfo).port,
    token,
    async close () {
      closed.abort()
      await new Promise<void>(resolve => {
        server.close(() => { resolve() })
        server.closeAllConnections()
      })
    }
  }
}

/**
 * The connections that are open. Where there are too many, the oldest of those that have
 * not shown the token is closed: any user of the machine can open as many as they like.
 */
class Connections {
  readonly #strangers = new Set<Socket>()
  readonly #trusted = new Set<Socket>()

  add (socket: Socket): void {
    this.#strangers.add(socket)
    socket.once('close', () => {
      this.#strangers.delete(socket)
      this.#trusted.delete(socket)
    })

    if (this.#strangers.size + this.#trusted.size > MAX_CONNECTIONS) {
      // the new one, where all others are of commands: these try again
      const [oldest] = this.#strangers
      this.#strangers.delete(oldest)
      oldest.destroy()
    }
  }

  /** Somebody who knows the token. */
  trust (socket: Socket): void {
    if (this.#strangers.delete(socket)) {
      this.#trusted.add(socket)
    }
  }
}

/** What is left of the request is not waited for. */
function sayNo (response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
}
