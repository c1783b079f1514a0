import { clientOf } from './request-limits.ts'
import type { IsTrusted } from './trusted-proxies.ts'
import type { Socket } from 'node:net'

/** The response to a client with too many connections. With TLS, nothing can be sent before the handshake. */
const REFUSAL = 'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

export interface ConnectionLimitInit {
  /** Maximum connections of one address. */
  max: number
  /** Proxies may have as many as there are. */
  isTrusted: IsTrusted
  /** Whether the connections are not encrypted. */
  isPlain: boolean
}

/**
 * Refuse the connections of an address that has many: otherwise one client that opens all that there may be, and sends
 * nothing, keeps everybody else out.
 */
export class ConnectionLimit {
  readonly #init: ConnectionLimitInit
  readonly #byAddress = new Map<string, number>()
  /** Tunnels come a second time. */
  readonly #counted = new WeakSet<Socket>()

  constructor (init: ConnectionLimitInit) {
    this.#init = init
  }

  /** To be called for each connection, before anything else is done with it. */
  readonly enter = (socket: Socket): void => {
    const { remoteAddress: address } = socket
    const { max, isTrusted, isPlain } = this.#init

    if (address == null || this.#counted.has(socket) || isTrusted(address)) {
      return
    }

    const key = clientOf(address)
    const count = this.#byAddress.get(key) ?? 0

    if (count >= max) {
      if (isPlain) {
        socket.end(REFUSAL)
        socket.destroySoon()
      } else {
        socket.destroy()
      }

      return
    }

    this.#counted.add(socket)
    this.#byAddress.set(key, count + 1)
    socket.once('close', () => { this.#leave(key) })
  }

  #leave (key: string): void {
    const left = (this.#byAddress.get(key) ?? 1) - 1

    if (left === 0) {
      this.#byAddress.delete(key)
    } else {
      this.#byAddress.set(key, left)
    }
  }
}
