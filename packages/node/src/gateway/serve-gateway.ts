import { DerivedBlockstore } from '@ipfsz/core/originals'
import { trustedProxies } from '@ipfsz/gateway/node'
import { servingSignal } from '@ipfsz/shared-store/places'
import { messageOf } from '@ipfsz/utils/message-of'
import { raceSignal } from 'race-signal'
import { NetworkAccess } from '../daemon/access.ts'
import { UsageError } from '../errors.ts'
import { emit } from '../events.ts'
import { hasOriginals, OriginalsStore } from '../repo/originals-store.ts'
import { openOrCreateRepo, openRepoToRead } from '../repo/repo.ts'
import { withStoreCache } from '../repo/store-cache.ts'
import { undoAll } from '../daemon/undo-all.ts'
import { ReconnectingNetwork } from './fetch-network.ts'
import { checkHostName, checkReach, parseListenAddress } from './listen-address.ts'
import { noteTo, startGateway } from './start-gateway.ts'
import { Upstream } from './upstream.ts'
import type { NodeContext } from '../context.ts'
import type { Daemon } from '../daemon/daemon.ts'
import type { Repo } from '../repo/repo.ts'
import type { ServeGatewayOptions } from './gateway-options.ts'
import type { GatewayParts, RunningGateway } from './start-gateway.ts'

export interface ServedGateway extends Omit<RunningGateway, 'metrics'> {
  /** Whether originals are to be served, and none is indexed. */
  lacksOriginals: boolean
}

/**
 * How many blocks the daemon may be asked for at a time: half of the connections that it takes. Blocks that
 * no peer has keep one for a minute each.
 */
const MAX_SOCKETS = 512

/**
 * Serve the repo over HTTP. It serves until it is stopped; the signal of the context ends only the start.
 *
 * @throws {UsageError} an address, a host or a proxy is none, other machines could connect although `public` is not
 * set, or there is nobody to fetch from
 * @throws {NotConnectedError} a peer of the context cannot be reached
 * @throws {ListenError} it cannot listen on an address
 * @throws {RepoError} the repo cannot be opened, or cannot keep what is fetched
 */
export async function serveGateway (context: NodeContext, options: ServeGatewayOptions): Promise<ServedGateway> {
  const { signal, repo: path } = context
  const opening = { signal: servingSignal(signal) }
  const undo: Array<() => Promise<void>> = []
  // before anything is opened
  checkGateway(options)

  try {
    const sources = options.fetch === true ? await openSources(context, undo) : {}
    const opened = await raceSignal((options.fetch === true ? openOrCreateRepo : openRepoToRead)(path, opening), signal)
    undo.push(opened.close)
    const { repo, close } = await withStoreCache(opened, { onNote: noteTo(context) })
    undo.push(close)
    const { originals, lacksOriginals } = options.serveOriginals === true ? openOriginals(repo, context, undo) : NONE
    const running = await startGateway(context, { repo, originals, ...sources }, options)
    undo.push(running.stop)

    return { ...running, lacksOriginals, stop: async () => undoAll(undo) }
  } catch (err) {
    await undoAll(undo)
    throw err
  }
}

/**
 * Prepare to serve the repo of a daemon that does not run yet over HTTP, and to fetch through its node.
 *
 * @returns starts the gateway on the daemon
 * @throws {UsageError} an address is none, or other machines could connect although `public` is not set
 */
export async function gatewayOfDaemon (
  context: NodeContext,
  options: ServeGatewayOptions
): Promise<(daemon: Daemon) => Promise<ServedGateway>> {
  checkGateway(options)

  const { network: { gateways = [], routers = [] } = {} } = context
  const started = Promise.withResolvers<Daemon['network']>()
  const upstream = options.fetch === true
    ? await Upstream.open({ gateways, routers, network: async () => started.promise })
    : undefined

  return async ({ repo, network, originals }) => {
    started.resolve(network)
    const sources = options.fetch === true ? { network, upstream } : {}
    const running = await startGateway(context, { repo, originals, ...sources }, options)
    network.keepForCluster(running.cached?.cache)

    return {
      ...running,
      lacksOriginals: false,
      async stop () {
        network.keepForCluster(undefined)
        await running.stop()
      }
    }
  }
}

/**
 * Check how a gateway is to serve, before anything is opened.
 *
 * @throws {UsageError}
 */
export function checkGateway ({
  listen,
  metrics,
  host = [],
  trustProxy,
  public: isPublic = false
}: Pick<ServeGatewayOptions, 'listen' | 'metrics' | 'host' | 'trustProxy' | 'public'>): void {
  const addresses = [listen, ...metrics == null ? [] : [metrics]].map(parseListenAddress)

  for (const address of addresses) {
    checkReach(address, isPublic)
  }

  try {
    trustedProxies(trustProxy)
  } catch (err) {
    throw new UsageError(messageOf(err), { cause: err, problem: 'no-proxy' })
  }

  host.forEach(checkHostName)
}

const NONE = { originals: undefined, lacksOriginals: false } as const

async function openSources (
  context: NodeContext,
  undo: Array<() => Promise<void>>
): Promise<Pick<GatewayParts, 'network' | 'upstream'>> {
  const network = await new NetworkAccess(context).isPossible()
    ? new ReconnectingNetwork(() => new NetworkAccess(context, MAX_SOCKETS))
    : undefined
  const upstream = await Upstream.open({
    ...context.network,
    network: network == null ? undefined : async () => network
  })

  if (upstream == null) {
    throw new UsageError(
      'The gateway has no node to fetch from, because no daemon is running',
      { problem: 'nobody-to-fetch-from' }
    )
  }

  undo.push(async () => { await network?.close() })
  // now, so that a wrong peer shows when the gateway starts
  await network?.open()

  return { network, upstream }
}

function openOriginals (
  repo: Repo,
  context: NodeContext,
  undo: Array<() => Promise<void>>
): Pick<ServedGateway, 'lacksOriginals'> & Pick<GatewayParts, 'originals'> {
  // before it is opened, which creates it
  const lacksOriginals = !hasOriginals(repo.path)
  const store = new OriginalsStore(repo.path, { writes: false })
  undo.push(async () => { await store.close() })
  const originals = new DerivedBlockstore(repo.blockstore, {
    datastore: store,
    onError: err => { emit(context, 'ipfsz:warning', { message: messageOf(err), isMinor: true }) }
  })

  return { originals, lacksOriginals }
}
