import { NodeRequest } from 'srvx/node'
import { addCors } from '../cors.ts'
import { RequestLimits } from './request-limits.ts'
import { breakConnection, endResponse, sendResponse } from './send-response.ts'
import { SendTurns } from './send-turns.ts'
import { clientAddress, proxiesOf, trustedProxies } from './trusted-proxies.ts'
import type { Gateway } from '../contract.ts'
import type { NodeRequestMessage, NodeResponseMessage } from './send-response.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/**
 * Maximum requests that are answered at once, and of one address. A stock browser has 6 connections to a
 * host, behind a proxy of a company many do.
 */
export const DEFAULT_REQUESTS = 4096
export const DEFAULT_REQUESTS_PER_ADDRESS = 512

/** Milliseconds. A client that reads 80 KiB/s seems to take nothing for so long: the system sends in large steps. */
export const DEFAULT_STALLED_AFTER = 10_000

/** Seconds after which a refused client may ask again. */
const RETRY_AFTER = 1

export interface NodeHandlerInit {
  /**
   * Maximum requests that are answered at once. More get 503.
   *
   * @default 4096
   */
  requests?: number | undefined

  /**
   * Maximum requests of one address that are answered at once: this many, or as many as may still be answered of any
   * address, if these are fewer. More get 429.
   *
   * @default 512
   */
  requestsPerAddress?: number | undefined

  /**
   * If there are as many requests as there may be, a new one takes the place of the one whose client has taken nothing
   * for longest, and at least for so many milliseconds.
   *
   * @default 10000
   */
  stalledAfter?: number | undefined

  /**
   * Proxies whose `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto` are believed: addresses, ranges
   * such as `10.0.0.0/8`, or `loopback`. Without it, all clients behind a proxy count as one address.
   *
   * @default none
   */
  trustProxy?: TrustedProxies | undefined
}

export type NodeHandler = (req: NodeRequestMessage, res: NodeResponseMessage) => void

/**
 * A listener for the `request` event of Node's servers.
 *
 * @throws {InvalidProxyError} a trusted proxy is not an address or a range
 */
export function createNodeHandler (gateway: Gateway, init: NodeHandlerInit = {}): NodeHandler {
  return handlerWith(new SendTurns(), gateway, init)
}

/** The same, with turns that know of new connections. */
export function handlerWith (turns: SendTurns, gateway: Gateway, init: NodeHandlerInit): NodeHandler {
  const isTrusted = trustedProxies(init.trustProxy)
  const limits = new RequestLimits({
    requests: init.requests ?? DEFAULT_REQUESTS,
    requestsPerAddress: init.requestsPerAddress ?? DEFAULT_REQUESTS_PER_ADDRESS,
    stalledAfter: init.stalledAfter ?? DEFAULT_STALLED_AFTER
  })

  return (req, res) => {
    if (!hasOneHost(req)) {
      res.setHeader('connection', 'close')
      refuse(req, res, 400)

      return
    }

    dropRootDots(req)

    // srvx knows no ranges: it gets the addresses that this request names
    const request = new NodeRequest({ req, res, trustProxy: proxiesOf(req, isTrusted) })
    const counted = limits.enter(clientAddress(req, isTrusted), () => { breakConnection(req, res) })

    if (typeof counted === 'number') {
      res.setHeader('retry-after', RETRY_AFTER)
      res.setHeader('cache-control', 'no-store')
      refuse(req, res, counted)

      return
    }

    res.once('close', counted.leave)
    gateway(request)
      .then(async response => sendResponse({ req, res, turns, onStall: counted.stall }, response))
      .catch(() => { breakConnection(req, res) })
  }
}

/** A host and a port (RFC 3986, section 3.2). It may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/**
 * Whether a request names its host at most once, and as one. Otherwise it must be refused (RFC 9112, section 3.2): a
 * proxy in front may believe another one.
 */
function hasOneHost ({ rawHeaders }: NodeRequestMessage): boolean {
  const hosts: string[] = []

  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') {
      hosts.push(rawHeaders[i + 1])
    }
  }

  return hosts.length < 2 && hosts.every(host => HOST.test(host))
}

function refuse (req: NodeRequestMessage, res: NodeResponseMessage, status: number): void {
  addCors({ set: (name, value) => { res.setHeader(name, value) } })
  res.statusCode = status
  endResponse(req, res)
}

/**
 * Take the dot of the root off the names of hosts: `localhost.` is `localhost` (RFC 1034, section 3.1). srvx makes
 * one name of all that it does not know, that is, of these.
 */
function dropRootDots (req: NodeRequestMessage): void {
  const { headers } = req

  for (const name of ['host', ':authority', 'x-forwarded-host']) {
    const hosts = headers[name]

    if (typeof hosts === 'string') {
      headers[name] = hosts.replaceAll(/(?<=[\w-])\.(?=\s*(?::\d+\s*)?(?:,|$))/g, '')
    }
  }

  // the whole URL, as clients of proxies send it
  req.url = req.url?.replace(/^(https?:\/\/[^/?#]*[\w-])\.(?=(?::\d+)?(?:[/?#]|$))/i, '$1')
}
