import { createServer } from 'node:http'
import { createGateway } from '../create-gateway.ts'
import { createNodeHandler } from '../node/handler.ts'
import { addressOf } from '../client.ts'
import { StreamSocket } from './stream-socket.ts'
import type { Gateway, GatewayComponents, GatewayInit } from '../contract.ts'
import type { Libp2p } from '@libp2p/interface'
import type { Socket } from 'node:net'

/** The protocol of HTTP over a stream (libp2p/specs, http). */
export const HTTP_PROTOCOL = '/http/1.1'

/** What the peer's protocols over HTTP are, and where (libp2p/specs, http). The name is that of Kubo. */
const PROTOCOLS_PATH = '/.well-known/libp2p/protocols'
const PROTOCOLS = { '/ipfs/gateway': { path: '/' } }

/** The host that all requests are answered for, whatever they name: one that serves verifiable formats alone. */
const HOST = 'libp2p.invalid'

/** Defaults of `Libp2pGatewayInit`. Sizes in bytes. */
export const DEFAULT_LIBP2P_REQUESTS = 256
export const DEFAULT_LIBP2P_REQUESTS_PER_PEER = 32
export const DEFAULT_LIBP2P_HELD_BYTES = 64 * 1024 ** 2

/** Maximum number of streams that are open at once, of all peers. */
const MAX_SOCKETS = 1024
const MAX_HEADER_SIZE = 16 * 1024
/** How long a request may take to arrive, and how long a stream may pass without a byte, in milliseconds. */
const REQUEST_TIMEOUT = 10_000
const IDLE_TIMEOUT = 90_000

export interface Libp2pGatewayInit extends Pick<GatewayInit, 'isServed' | 'onError'> {
  /**
   * Maximum number of requests that are answered at once. More get 503.
   *
   * @default 256
   */
  requests?: number | undefined

  /**
   * The most of these of one peer: more streams are reset.
   *
   * @default 32
   */
  requestsPerPeer?: number | undefined

  /**
   * About the maximum bytes that all responses together hold, as `GatewayLimits.heldBytes`.
   *
   * @default 67108864
   */
  heldBytes?: number | undefined
}

/**
 * Serve blocks and CARs to the peers of a libp2p node, over HTTP/1.1 on its streams, as Kubo does with
 * `Experimental.GatewayOverLibp2p`. A request has a stream of its own. Files and directories are not served as such: a
 * peer verifies what it gets.
 *
 * @returns what ends it
 */
export async function serveOverLibp2p (
  libp2p: Pick<Libp2p, 'handle' | 'unhandle'>,
  components: GatewayComponents,
  init: Libp2pGatewayInit = {}
): Promise<() => Promise<void>> {
  const { requests = DEFAULT_LIBP2P_REQUESTS, requestsPerPeer = DEFAULT_LIBP2P_REQUESTS_PER_PEER } = init
  const gateway = createGateway(components, {
    isServed: init.isServed,
    onError: init.onError,
    subdomainHosts: [],
    trustlessHosts: [HOST],
    limits: { heldBytes: init.heldBytes ?? DEFAULT_LIBP2P_HELD_BYTES }
  })
  const sockets = new Set<StreamSocket>()
  /** Ends streams whose request does not arrive: Node does that only for a server that listens. */
  const late = new WeakMap<object, NodeJS.Timeout>()
  const server = createServer({ maxHeaderSize: MAX_HEADER_SIZE }, createNodeHandler(answering(gateway), {
    requests,
    requestsPerAddress: requestsPerPeer
  }))

  server.setTimeout(IDLE_TIMEOUT)
  server.maxRequestsPerSocket = 1
  server.prependListener('request', ({ socket }) => { clearTimeout(late.get(socket)) })

  await libp2p.handle(HTTP_PROTOCOL, (stream, { remotePeer }) => {
    if (sockets.size >= MAX_SOCKETS) {
      stream.abort(new Error('too many streams are open'))
      return
    }

    const socket = new StreamSocket(stream, remotePeer.toString())

    sockets.add(socket)
    late.set(socket, setTimeout(() => { socket.resetAndDestroy() }, REQUEST_TIMEOUT).unref())
    socket.once('close', () => {
      clearTimeout(late.get(socket))
      sockets.delete(socket)
    })
    server.emit('connection', socket as Duplexed)
  }, { maxInboundStreams: requestsPerPeer })

  return async () => {
    await libp2p.unhandle(HTTP_PROTOCOL)
    sockets.forEach(socket => { socket.resetAndDestroy() })
  }
}

/** Node's types ask for a socket of the system; its documentation, for any duplex. */
type Duplexed = StreamSocket & Socket

function answering (gateway: Gateway): Gateway {
  return async request => {
    const url = URL.parse(request.url)

    if (url?.pathname === PROTOCOLS_PATH && ['GET', 'HEAD'].includes(request.method)) {
      return Response.json(PROTOCOLS)
    }

    const { method, headers, signal } = request
    const path = url == null ? '/' : `${url.pathname}${url.search}`

    const asked = new Request(`http://${HOST}${path}`, { method, headers, signal })

    return gateway(Object.assign(asked, { ip: addressOf(request) }))
  }
}
