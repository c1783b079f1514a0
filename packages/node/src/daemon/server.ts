import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { BadRequestError } from '../network/fetch-request.ts'
import { answer } from './answer.ts'
import { refuse } from './guard.ts'
import { toWire } from './protocol.ts'
import type { Network } from '../network/network.ts'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Maximum number of connections at a time. A command that fetches opens up to 24. */
export const MAX_CONNECTIONS = 1024
/** The largest headers of a request, in bytes. */
const MAX_HEADER_SIZE = 8 * 1024
/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT = 10_000

export interface DaemonServer {
  port: number
  token: string
  close: () => Promise<void>
}

/**
 * Serves a network to commands of the same user, over HTTP on 127.0.0.1 with a token. Not over a Unix
 * socket: its path has at most 107 bytes, and Windows has named pipes instead.
 */
export async function serveNetwork (network: Network): Promise<DaemonServer> {
  const token = randomBytes(32).toString('hex')
  const closed = new AbortController()
  const connections = new Connections()

  const server = createServer({
    maxHeaderSize: MAX_HEADER_SIZE,
    headersTimeout: REQUEST_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    connectionsCheckingInterval: 1000
  }, (request, response) => {
    const { port } = server.address() as AddressInfo
    const refusal = refuse(request, { port, token })

    if (refusal != null) {
      sendError(response, refusal.status, { name: 'RefusedError', message: refusal.reason })
      return
    }

    connections.trust(request.socket)

    const gone = new AbortController()
    response.once('close', () => { gone.abort() })

    answer(request, response, network, AbortSignal.any([gone.signal, closed.signal])).catch((err: unknown) => {
      if (response.headersSent) {
        // break the connection: half an answer must not look complete
        response.destroy()
      } else {
        sendError(response, err instanceof BadRequestError ? err.status : 500, toWire(err))
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
 * Limits the open connections. Above the limit it closes the oldest connection that has not shown
 * the token: any user of the machine can open connections.
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
      // the new connection itself if all others are trusted. Its command tries again
      const [oldest] = this.#strangers
      this.#strangers.delete(oldest)
      oldest.destroy()
    }
  }

  /** The connection has shown the token. */
  trust (socket: Socket): void {
    if (this.#strangers.delete(socket)) {
      this.#trusted.add(socket)
    }
  }
}

/** Answers with an error and closes the connection, without reading the rest of the request. */
function sendError (response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
}
