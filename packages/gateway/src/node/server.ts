import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { ConnectionLimit } from './connection-limit.ts'
import { DEFAULT_REQUESTS, handlerWith } from './handler.ts'
import { SendTurns } from './send-turns.ts'
import { trustedProxies } from './trusted-proxies.ts'
import type { Gateway } from '../contract.ts'
import type { NodeHandlerInit } from './handler.ts'
import type { Server } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Duplex } from 'node:stream'

/** Defaults of `NodeServerInit`. Times are in milliseconds, sizes in bytes. */
const DEFAULT_IDLE_TIMEOUT = 150_000
const DEFAULT_MAX_HEADER_SIZE = 16 * 1024
export const DEFAULT_MAX_CONNECTIONS = 8192
const DEFAULT_CONNECTIONS_PER_ADDRESS = 1024

/** How long headers, a request, and a connection without one may take, in milliseconds. The server lets them be set. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 30_000
const KEEP_ALIVE_TIMEOUT = 15_000

/** How often Node looks for requests that are too slow, in milliseconds. */
const CHECK_INTERVAL = 2000

/** Maximum streams of HTTP/2 that a connection may have open. */
const MAX_STREAMS = 100

export interface NodeServerInit extends NodeHandlerInit {
  /** In PEM. With it, the server speaks https: HTTP/2, and HTTP/1.1 to those who ask for it. */
  tls?: { key: string, cert: string } | undefined

  /**
   * Milliseconds that a connection with a request may pass without a byte in either direction. It should be
   * longer than the gateway's own limits, and cuts off clients that do not read.
   *
   * @default 150000
   */
  idleTimeout?: number | undefined

  /**
   * Maximum bytes of a request's headers.
   *
   * @default 16384
   */
  maxHeaderSize?: number | undefined

  /**
   * Maximum connections at once. Beyond it, a new one takes the place of the one that has been without a request for
   * longest.
   *
   * @default 8192
   */
  maxConnections?: number | undefined

  /**
   * Maximum connections of one address at once, but of trusted proxies. More are refused, with 429 if they are not
   * encrypted.
   *
   * @default 1024
   */
  connectionsPerAddress?: number | undefined
}

/** A server that answers with a gateway. `listen` and `close` are Node's. */
export type NodeServer = Server | Http2SecureServer

/**
 * Create a server of HTTP/1.1, or, with a certificate, of HTTP/2 and HTTP/1.1. It does not listen yet.
 *
 * @throws {InvalidProxyError} a trusted proxy is not an address or a range
 */
export function createNodeServer (gateway: Gateway, init: NodeServerInit = {}): NodeServer {
  const max = init.maxConnections ?? DEFAULT_MAX_CONNECTIONS
  // if all connections had one, none could make room for a new one
  const requests = Math.min(init.requests ?? DEFAULT_REQUESTS, Math.ceil(max / 2))
  const turns = new SendTurns()
  const handler = handlerWith(turns, gateway, { ...init, requests })
  const maxHeaderSize = init.maxHeaderSize ?? DEFAULT_MAX_HEADER_SIZE
  const options = {
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    maxHeaderSize,
    connectionsCheckingInterval: CHECK_INTERVAL
  }
  const server = init.tls == null
    ? createServer(options, handler)
    : createSecureServer({
      ...options,
      ...init.tls,
      allowHTTP1: true,
      handshakeTimeout: HEADERS_TIMEOUT,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: maxHeaderSize }
    }, handler)

  if (init.tls == null) {
    acceptTunnels(server as Server)
  }

  const limit = new ConnectionLimit({
    max,
    maxPerAddress: init.connectionsPerAddress ?? DEFAULT_CONNECTIONS_PER_ADDRESS,
    isTrusted: trustedProxies(init.trustProxy),
    isPlain: init.tls == null
  })

  server.prependListener('connection', limit.enter)
  server.on('connection', turns.accept)
  server.prependListener('request', limit.answer)
  server.setTimeout(init.idleTimeout ?? DEFAULT_IDLE_TIMEOUT)

  return server
}

/**
 * Clients may use the gateway as their HTTP proxy, so that subdomains need no DNS (Subdomain Gateway). A
 * tunnel leads to this server, whatever host it names.
 */
function acceptTunnels (server: Server): void {
  const tunnels = new WeakSet<Duplex>()

  server.on('connect', (_, socket: Duplex, head: Buffer) => {
    // one inside another would each add its listeners to the socket
    if (tunnels.has(socket)) {
      socket.destroy()

      return
    }

    tunnels.add(socket)
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    socket.unshift(head)
    server.emit('connection', socket)
  })
}
