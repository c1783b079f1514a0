import { clientOf } from '../client.ts'
import type { NodeRequestMessage, NodeResponseMessage } from './send-response.ts'
import type { IsTrusted } from './trusted-proxies.ts'
import type { Socket } from 'node:net'

/** The response to a client with too many connections. With TLS, nothing can be sent before the handshake. */
const REFUSAL = 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

export interface ConnectionLimitInit {
  max: number
  /** Maximum connections of one address. */
  maxPerAddress: number
  /** Proxies may have as many as there are, and none of theirs is closed. */
  isTrusted: IsTrusted
  /** Whether the connections are not encrypted. */
  isPlain: boolean
}

interface Connection {
  socket: Socket
  /** Undefined: a trusted proxy. */
  client: string | undefined
  /** How many requests are being answered. */
  requests: number
  /** Count it no more. */
  leave (): void
}

/**
 * Bounds connections, so that clients that open all that there may be, and send nothing, keep nobody out: one address
 * gets a part of them, and if there are as many as there may be, a new one takes the place of the one that has been
 * without a request for longest (as in nginx).
 */
export class ConnectionLimit {
  readonly #init: ConnectionLimitInit
  readonly #byAddress = new Map<string, number>()
  /** By address and port of the client: requests of TLS have another socket than their connection. */
  readonly #connections = new Map<string, Connection>()
  /** Those without a request that may be closed, in the order in which they became so. */
  readonly #waiting = new Set<Connection>()

  constructor (init: ConnectionLimitInit) {
    this.#init = init
  }

  /** To be called for each connection, before anything else is done with it. */
  readonly enter = (socket: Socket): void => {
    const { remoteAddress: address } = socket
    const endpoint = endpointOf(socket)
    const { max, maxPerAddress, isTrusted, isPlain } = this.#init

    // tunnels come a second time
    if (address == null || this.#connections.get(endpoint)?.socket === socket) {
      return
    }

    const client = isTrusted(address) ? undefined : clientOf(address)

    if (client != null && (this.#byAddress.get(client) ?? 0) >= maxPerAddress) {
      if (isPlain) {
        socket.end(REFUSAL)
        socket.destroySoon()
      } else {
        socket.destroy()
      }
    } else if (this.#connections.size >= max && !this.#closeOldest()) {
      socket.destroy()
    } else {
      this.#add(socket, endpoint, client)
    }
  }

  /** To be called for each request. */
  readonly answer = (req: NodeRequestMessage, res: NodeResponseMessage): void => {
    const connection = this.#connections.get(endpointOf(req.socket))

    if (connection == null) {
      return
    }

    connection.requests++
    this.#waiting.delete(connection)
    res.once('close', () => {
      if (--connection.requests === 0) {
        this.#wait(connection)
      }
    })
  }

  #add (socket: Socket, endpoint: string, client: string | undefined): void {
    const connection: Connection = {
      socket,
      client,
      requests: 0,
      leave: () => {
        if (this.#connections.get(endpoint) === connection) {
          this.#connections.delete(endpoint)
          this.#waiting.delete(connection)
          this.#count(client, -1)
        }
      }
    }

    this.#connections.set(endpoint, connection)
    this.#count(client, 1)
    socket.once('close', connection.leave)
    this.#wait(connection)
  }

  #wait (connection: Connection): void {
    if (connection.client != null && !connection.socket.destroyed) {
      this.#waiting.add(connection)
    }
  }

  /** @returns false: none is without a request */
  #closeOldest (): boolean {
    const [oldest] = this.#waiting

    // it takes its time to be closed
    oldest?.leave()
    oldest?.socket.destroy()

    return oldest != null
  }

  #count (client: string | undefined, change: number): void {
    if (client == null) {
      return
    }

    const count = (this.#byAddress.get(client) ?? 0) + change

    if (count === 0) {
      this.#byAddress.delete(client)
    } else {
      this.#byAddress.set(client, count)
    }
  }
}

function endpointOf ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`
}
