import { once } from 'node:events'
import { trustedProxies } from '@ipfsz/gateway/node'
import { messageOf } from '@ipfsz/utils/message-of'
import { raceSignal } from 'race-signal'
import { networkAccess } from '../context.ts'
import { DEFAULT_TIMEOUT } from '@ipfsz/node/internal/daemon/access'
import { UsageError } from '../errors.ts'
import { formatCombined, toJson } from '@ipfsz/node/internal/gateway/access-log'
import { ReconnectingNetwork } from '@ipfsz/node/internal/gateway/fetch-network'
import { checkHostName, checkReach, parseListenAddress } from '@ipfsz/node/internal/gateway/listen-address'
import { startGateway } from '@ipfsz/node/internal/gateway/start-gateway'
import { Upstream } from '@ipfsz/node/internal/gateway/upstream'
import { openOrCreateRepo, openRepoToRead } from '@ipfsz/node/internal/repo/repo'
import { servingSignal } from '@ipfsz/shared-store/places'
import { withStoreCache } from '@ipfsz/node/internal/repo/store-cache'
import { printStarted } from './print-gateway.ts'
import { withServedOriginals } from './served-originals.ts'
import type { Context } from '../context.ts'
import type { FetchNetwork } from '@ipfsz/node/internal/gateway/fetch-network'
import type { RunningGateway } from '@ipfsz/node/internal/gateway/start-gateway'
import type { Repo } from '@ipfsz/node/internal/repo/repo'
import type { DerivedBlockstore } from '@ipfsz/core/originals'

export interface GatewayCommandOptions {
  /** As in `127.0.0.1:8080`. */
  listen: string
  /** Fetch what the repo lacks from other nodes. */
  fetch: boolean
  /** The most bytes to keep of what is fetched. 0 keeps nothing. */
  cache?: number | undefined
  /** Whether other machines may connect. */
  public: boolean
  /** Where Prometheus reads metrics, as in `127.0.0.1:9090`. */
  metrics?: string | undefined
  /** Whether to print a line for each request. */
  log: boolean
  /** Hosts, besides `localhost`, on whose subdomains each CID has an origin of its own. */
  host?: string[] | undefined
  /** Addresses and ranges of proxies, or `loopback`. */
  trustProxy?: string[] | undefined
  /** Compress blocks that are stored plain (`blocks`), or also files that clients cannot take as stored (`all`). */
  compress?: Compressed | undefined
  /** The share of one core that this may take, in percent. */
  compressCpu?: number | undefined
  /** Bytes of memory for compressed blocks. */
  compressCache?: number | undefined
  maxRequests?: number | undefined
  maxRequestsPerAddress?: number | undefined
  /** Serve the originals of linked files that are indexed, too. */
  serveOriginals?: boolean | undefined
}

/** What a gateway compresses. */
export type Compressed = 'blocks' | 'all'

/** What a gateway serves besides the blocks of the repo. Without a network or upstream, it fetches nothing. */
export interface FetchSources {
  network?: FetchNetwork | undefined
  upstream?: Upstream | undefined
  /** The blocks of the repo with those of originals. */
  originals?: DerivedBlockstore | undefined
}

/** What the options are called, for messages. */
export interface OptionNames {
  listen: string
  metrics: string
  public: string
}

const OPTION_NAMES: OptionNames = { listen: '--listen', metrics: '--metrics', public: '--public' }

/** How much of the access log may wait for a slow reader, in bytes. More lines are dropped, and counted. */
const MAX_WAITING = 1024 * 1024

/**
 * How many blocks the daemon may be asked for at a time: half of the connections that it takes. Blocks that
 * no peer has keep one for a minute each.
 */
const MAX_SOCKETS = 512

/**
 * Serve the repo over HTTP until it is interrupted.
 *
 * @throws {UsageError} it is to fetch, and there is nobody to ask
 * @throws {NotConnectedError} a peer of --peer cannot be reached
 */
export async function gateway (options: GatewayCommandOptions, context: Context): Promise<void> {
  const { signal, repo: path } = context
  const opening = { signal: servingSignal(signal) }
  // before anything is opened
  checkAddresses(options)
  checkProxies(options.trustProxy)
  options.host?.forEach(host => { checkHostName(host, '--host') })

  if (!options.fetch) {
    return withCached(await raceSignal(openRepoToRead(path, opening), signal), context, async repo =>
      withServedOriginals(repo, options, context, async (repo, originals) =>
        run(await serveRepo(options, context, repo, { originals }), context, signal)))
  }

  const network = await networkAccess(context).isPossible()
    ? new ReconnectingNetwork(() => networkAccess(context, MAX_SOCKETS))
    : undefined
  const upstream = await Upstream.open({
    ...context.network,
    network: network == null ? undefined : async () => network
  })

  if (upstream == null) {
    throw new UsageError(
      '--fetch has no node to fetch from, because no daemon is running: start one with ipfsz daemon, ' +
        'or specify a peer with --peer, a gateway with --gateway, or a router with --router'
    )
  }

  try {
    // now, so that a wrong peer shows when the gateway starts
    await network?.open()
    await withCached(await raceSignal(openOrCreateRepo(path, opening), signal), context, async repo =>
      withServedOriginals(repo, options, context, async (repo, originals) =>
        run(await serveRepo(options, context, repo, { network, upstream, originals }), context, signal)))
  } finally {
    await network?.close()
  }
}

/** Keep what is read from a store over the network, while the gateway runs. */
async function withCached (
  opened: Repo,
  { output }: Context,
  work: (repo: Repo) => Promise<void>
): Promise<void> {
  const { repo, close } = await withStoreCache(opened, { onNote: message => { output.note(message) } })

  await work(repo).finally(close)
}

/**
 * Start a gateway, and print where it is.
 *
 * @param names - what the options are called
 * @throws {UsageError} an address is not one, or lets other machines in without leave
 * @throws {ListenError} it cannot listen on an address
 * @throws {RepoError} it cannot keep what it fetches
 */
export async function serveRepo (
  options: GatewayCommandOptions,
  context: Context,
  repo: Repo,
  sources: FetchSources = {},
  names: OptionNames = OPTION_NAMES
): Promise<RunningGateway> {
  const { io, output, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const { host: subdomainHosts, trustProxy, maxRequests: requests, maxRequestsPerAddress: requestsPerAddress } = options
  const { compress, compressCpu: percent, compressCache: cacheSize } = options
  const running = await startGateway({
    ...addressesOf(options, names),
    repo,
    ...sources,
    cacheSize: options.cache,
    timeout,
    subdomainHosts,
    trustProxy,
    compression: compress == null
      ? undefined
      : { files: compress === 'all', cacheSize, cpuShare: percent == null ? undefined : percent / 100 },
    requests,
    requestsPerAddress,
    now: io.now,
    onNote: message => { output.note(message) },
    onEntry: options.log || output.verbose
      ? entry => {
        const isRead = output.stdout.writableLength < MAX_WAITING

        if (isRead) {
          output.result(toJson(entry), formatCombined(entry))
        }

        return isRead
      }
      : undefined
  })

  printStarted(running, options, context)

  if (options.fetch && options.public) {
    output.note('anyone who can reach this gateway can make it fetch and serve any content')
  }

  return running
}

/**
 * Check where a gateway is to listen.
 *
 * @param names - what the options are called
 * @throws {UsageError} an address is not one, or lets other machines in without leave
 */
export function checkAddresses (options: GatewayCommandOptions, names = OPTION_NAMES): void {
  addressesOf(options, names)
}

/** @throws {UsageError} one is neither an address nor a range */
function checkProxies (proxies: string[] | undefined): void {
  try {
    trustedProxies(proxies)
  } catch (err) {
    throw new UsageError(`--trust-proxy: ${messageOf(err)}`, { cause: err })
  }
}

function addressesOf (
  { listen: listenText, metrics: metricsText, public: isPublic }: GatewayCommandOptions,
  names: OptionNames
): { listen: ReturnType<typeof parseListenAddress>, metrics: ReturnType<typeof parseListenAddress> | undefined } {
  const listen = parseListenAddress(listenText)
  const metrics = metricsText == null ? undefined : parseListenAddress(metricsText)

  checkReach(listen, isPublic, names.listen, names.public)

  if (metrics != null) {
    checkReach(metrics, isPublic, names.metrics, names.public)
  }

  return { listen, metrics }
}

async function run (running: RunningGateway, { output }: Context, signal: AbortSignal): Promise<void> {
  try {
    output.result({ event: 'ready' }, 'The gateway is ready')

    if (!signal.aborted) {
      await once(signal, 'abort')
    }
  } finally {
    await running.stop()
  }
}
