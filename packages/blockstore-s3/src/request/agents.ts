// Room: one request to S3: endpoints, time limits, clocks. What follows a failure is in `recovery.ts`, one exchange
// over HTTP in `transport.ts`, answers of login pages in `foreign-answer.ts`.
import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect } from 'node:net'
import type { AgentOptions } from 'node:https'
import type { Socket, TcpNetConnectOpts } from 'node:net'

/** The TCP connections below those of TLS. */
const BELOW_TLS = new WeakMap<object, Socket>()

/** Connections over HTTP and over HTTPS. */
export class Agents {
  readonly #http: Agent
  readonly #https: HttpsAgent

  constructor (options: AgentOptions) {
    this.#http = new Agent(options)
    this.#https = new TlsAgent(options)
  }

  for (endpoint: string): Agent {
    return endpoint.startsWith('https:') ? this.#https : this.#http
  }

  close (): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}

/** Keeps hold of the TCP connection below that of TLS, which does not give it away. */
class TlsAgent extends HttpsAgent {
  override createConnection (
    ...[options, callback]: Parameters<HttpsAgent['createConnection']>
  ): ReturnType<HttpsAgent['createConnection']> {
    const below = connect(options as TcpNetConnectOpts)
    const connection = super.createConnection({ ...options, socket: below } as typeof options, callback)

    if (connection != null) {
      BELOW_TLS.set(connection, below)
    }

    return connection
  }
}

/**
 * End a connection, and let the system discard what it has not sent yet. Of one that is only closed, the system goes on
 * sending for minutes: a request that was given up would be carried out when the network is back, and a delete among
 * them would hit what was stored since.
 */
export function breakConnection (socket: Socket): void {
  const tcp = BELOW_TLS.get(socket) ?? socket

  if (!tcp.connecting && !tcp.destroyed) {
    tcp.resetAndDestroy()
  }
}
