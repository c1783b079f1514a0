import { once } from 'node:events'
import { startDaemon } from '@ipfsz/node/daemon'
import { bootstrapTexts, urlsIn } from '@ipfsz/node/environment'
import { nodeContext } from '../context.ts'
import type { Daemon, DaemonInit } from '@ipfsz/node/daemon'
import type { Compressed } from './gateway.ts'
import type { Context } from '../context.ts'

export interface DaemonCommandOptions
  extends Pick<DaemonInit, 'announce' | 'compressConnections' | 'listen' | 'provide'> {
  bootstrap?: string[]
  /** Whether to serve CARs to peers over HTTP. */
  libp2pGateway?: boolean
  /** The address of a gateway, as in `127.0.0.1:8080`. */
  gateway?: string
  gatewayFetch?: boolean
  gatewayCache?: number
  gatewayPublic?: boolean
  gatewayCompress?: Compressed
  gatewayMetrics?: string
  serveOriginals?: boolean
  originalsLayout?: string[]
}

/** An address to which only this machine can connect. */
const LOOPBACK = /^\/ip4\/127\.|^\/ip6\/::1\//

export async function daemon (options: DaemonCommandOptions, context: Context): Promise<void> {
  const { io, output, repo, signal } = context
  const gateway = await gatewayOf(options, context)
  const running = await startDaemon({
    ...options,
    originals: options.serveOriginals === true ? options.originalsLayout ?? [] : undefined,
    serveHttp: options.libp2pGateway,
    bootstrap: bootstrapTexts(options.bootstrap, io.env),
    repo,
    signal,
    onNote: message => { output.note(message) },
    verbose: output.verbose
  })
  let stopGateway: (() => Promise<void>) | undefined

  try {
    const { peerId, addresses: all } = running.id
    // first what others can use
    const [own, others] = [true, false].map(own => all.filter(address => LOOPBACK.test(address) === own))
    const addresses = [...others, ...own]

    output.labelled(
      { event: 'started', peerId, addresses, pid: process.pid },
      [['Peer ID', peerId], ...addresses.map(address => ['Address', address] as const)],
      ...own.length > 0 && others.length === 0 ? ['Only this machine can connect.'] : []
    )
    stopGateway = await gateway?.(running)
    output.result({ event: 'ready' }, 'The daemon is ready')

    if (!signal.aborted) {
      await once(signal, 'abort')
    }
  } finally {
    await stopGateway?.()
    await running.stop()
  }
}

/**
 * How to serve the repo of a daemon over HTTP, and fetch through its node, if that is wanted.
 *
 * @returns a function that starts it, and returns one that stops it
 * @throws {UsageError} an address is not one, or lets other machines in without leave
 */
async function gatewayOf (
  { gateway: listen, gatewayFetch: fetch, gatewayPublic, ...rest }: DaemonCommandOptions,
  context: Context
): Promise<((daemon: Daemon) => Promise<() => Promise<void>>) | undefined> {
  if (listen == null) {
    return undefined
  }

  const { gatewayOfDaemon } = await import('@ipfsz/node/gateway')
  const { checkAddresses, optionsOf, tellStarted } = await import('./gateway.ts')
  const { gatewayCache: cache, gatewayCompress: compress, gatewayMetrics: metrics } = rest
  const options = { listen, fetch, cache, public: gatewayPublic, compress, metrics }
  checkAddresses(options, { listen: '--gateway', metrics: '--gateway-metrics', public: '--gateway-public' })

  const { env } = context.io
  const network = { gateways: urlsIn(env.IPFSZ_GATEWAYS), routers: urlsIn(env.IPFSZ_ROUTERS) }
  const start = await gatewayOfDaemon(nodeContext({ ...context, network }), optionsOf(options, context))

  return async daemon => {
    const running = await start(daemon)
    tellStarted(running, options, context)

    return running.stop
  }
}
