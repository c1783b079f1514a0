import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { ListenError } from '../errors.ts'
import { formatAddress } from './listen-address.ts'
import type { ListenAddress } from './listen-address.ts'
import type { HealthCheck } from './health.ts'
import type { Metrics } from './metrics.ts'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How long responses may go on after the end was asked for, in milliseconds. */
export const SHUTDOWN_TIMEOUT = 10_000
/** How often they are looked at, in milliseconds. */
const INTERVAL = 20

/**
 * How many connections may wait to be accepted. With Node's 511, whoever connects while hundreds of others do is not
 * heard, and tries again after 1, 3, 7 and 15 seconds. Linux takes no more than `net.core.somaxconn`, 4,096 by default.
 */
const BACKLOG = 4096

/** Limits of the server for metrics. Times are in milliseconds. */
const METRICS_CONNECTIONS = 16
const METRICS_TIMEOUT = 10_000

/** Let a server listen. Returns where it does. */
export async function listen (server: Server, address: ListenAddress): Promise<ListenAddress> {
  try {
    const listening = once(server, 'listening')
    server.listen({ port: address.port, host: address.host, backlog: BACKLOG })
    await listening
  } catch (err) {
    throw new ListenError(formatAddress(address), err as NodeJS.ErrnoException)
  }

  return { host: address.host, port: (server.address() as AddressInfo).port }
}

/**
 * End a server: it accepts no connections any more, closes idle ones at once, and cuts off responses that are
 * not over in time.
 */
export async function shutDown (
  server: Server,
  metrics: Pick<Metrics, 'inFlight'>,
  timeout = SHUTDOWN_TIMEOUT
): Promise<void> {
  const closed = new Promise<void>(resolve => { server.close(() => { resolve() }) })
  const deadline = performance.now() + timeout

  while (metrics.inFlight > 0 && performance.now() < deadline) {
    await setTimeout(INTERVAL)
  }

  server.closeAllConnections()
  await closed
}

/** Serve metrics at `/metrics`, for Prometheus, and at `/healthz` whether the store answers. */
export function createMetricsServer (
  metrics: Pick<Metrics, 'print'>,
  health: Pick<HealthCheck, 'check'>
): Server {
  const server = createServer({
    headersTimeout: METRICS_TIMEOUT,
    requestTimeout: METRICS_TIMEOUT
  }, ({ method, url = '' }, response) => {
    const path = url.split('?', 1)[0]
    const isAllowed = method === 'GET' || method === 'HEAD'
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
      response.end(body)
    }

    if (path !== '/metrics' && path !== '/healthz') {
      send(404, 'text/plain', 'Metrics are at /metrics, health checks at /healthz\n')
    } else if (!isAllowed) {
      send(405, 'text/plain', 'Only GET and HEAD are allowed\n')
    } else if (path === '/metrics') {
      send(200, 'text/plain; version=0.0.4', metrics.print())
    } else {
      void health.check().then(result =>
        send(result.store.isReachable ? 200 : 503, 'application/json', `${JSON.stringify(result)}\n`))
    }
  })

  server.maxConnections = METRICS_CONNECTIONS
  server.setTimeout(METRICS_TIMEOUT)

  return server
}
