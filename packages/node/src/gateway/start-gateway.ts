import { networkInterfaces } from 'node:os'
import { createCompressor, createGateway, DEFAULT_STALL_TIMEOUT, DEFAULT_START_TIMEOUT } from '@ipfsz/gateway'
import { createNodeServer, trustedProxies } from '@ipfsz/gateway/node'
import { ipfsz } from '@ipfsz/core'
import { DEFAULT_TIMEOUT } from '../daemon/access.ts'
import { viewOf } from '../dag/view-of.ts'
import { emit } from '../events.ts'
import { undoAll } from '../daemon/undo-all.ts'
import { maxConnections } from './connections.ts'
import { countDecompressed } from './counted-files.ts'
import { openCache } from './open-cache.ts'
import { noteFailures } from './failures.ts'
import { createFetchingGateway } from './fetching.ts'
import { announceGateway } from './gateway-file.ts'
import { HealthCheck } from './health.ts'
import { isLocalhost, otherUrls, parseListenAddress, urlOf } from './listen-address.ts'
import { MemoryBlockCache } from './memory-block-cache.ts'
import { Metrics } from './metrics.ts'
import { GatewayNames } from './names.ts'
import { observe } from './observe.ts'
import { READ_INIT } from './read-init.ts'
import { RepoLinks } from './repo-links.ts'
import { createMetricsServer, listen, shutDown } from './serve.ts'
import { storedBlocks } from './stored-blocks.ts'
import { packageVersion } from '../version.ts'
import type { FetchNetwork } from './fetch-network.ts'
import type { OpenedCache } from './open-cache.ts'
import type { ServeGatewayOptions } from './gateway-options.ts'
import type { Upstream } from './upstream.ts'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { ListenAddress } from './listen-address.ts'
import type { NodeContext } from '../context.ts'
import type { Repo } from '../repo/repo.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { DerivedBlockstore } from '@ipfsz/core/originals'
import type { Gateway, GatewayComponents, GatewayInit } from '@ipfsz/gateway'
import type { Server } from 'node:http'

/** What a gateway is put together from. */
export interface GatewayParts {
  repo: Repo
  /** The blocks of the repo with those of the originals of its files, if they are served. */
  originals?: DerivedBlockstore | undefined
  /** Other nodes, to fetch what the repo lacks and to resolve names. */
  network?: FetchNetwork | undefined
  /** Other gateways, to fetch what the repo lacks. They are asked before the network. */
  upstream?: Upstream | undefined
}

export interface RunningGateway {
  /** The URL by which this machine reaches it, without a slash at its end. */
  url: string
  /** The URLs by which other machines may reach it, the likeliest first. Empty: only this machine does. */
  otherUrls: string[]
  /** On this machine, each CID has a subdomain of this URL's host. Undefined: it does not listen on loopback. */
  subdomainUrl: string | undefined
  metricsUrl: string | undefined
  /** Where what is fetched is kept. */
  cached: OpenedCache | undefined
  metrics: Metrics
  /** Stop accepting requests, and wait a bounded time for those that are being answered. */
  stop: () => Promise<void>
}

/** How much longer than the network the gateway waits for a block, in milliseconds: the network's error says more. */
const PATIENCE_MARGIN = 10_000
/** How much longer the server keeps a connection without a byte, in milliseconds. */
const IDLE_MARGIN = 90_000
/** Node's timers hold 31 bits. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * Serve a repo over HTTP.
 *
 * @throws {ListenError} it cannot listen on an address
 * @throws {RepoError} it cannot keep what it fetches
 * @throws {InvalidProxyError} a trusted proxy is not an address or a range
 */
export async function startGateway (
  context: NodeContext,
  parts: GatewayParts,
  options: ServeGatewayOptions
): Promise<RunningGateway> {
  const { repo, network } = parts
  const metrics = new Metrics(packageVersion())
  const { now = Date.now, network: { timeout = DEFAULT_TIMEOUT } = {} } = context
  const onNote = noteTo(context)
  const undo: Array<() => Promise<void>> = []
  let main: Server | undefined
  const serve = async (server: Server, address: ListenAddress): Promise<ListenAddress> => {
    const bound = await listen(server, address)
    // the server for metrics waits for nobody
    undo.push(async () => { await shutDown(server, server === main ? metrics : { inFlight: 0 }) })

    return bound
  }

  const ended = new AbortController()
  undo.push(async () => { ended.abort() })

  const links = new RepoLinks(repo, ended.signal)
  undo.push(async () => { await links.close() })

  try {
    const cached = fetches(parts) ? await openCache(repo, options.cache, onNote) : undefined
    undo.push(async () => { await cached?.cache.close() })
    metrics.watchCache(cached?.cache)
    metrics.watchStore(repo.shared?.traffic)
    const made = {
      parts, options, now, timeout, onNote, links, metrics, cache: cached?.cache, signal: ended.signal
    }
    main = await makeServer(made, makeGateway(made))

    const health = new HealthCheck({ repo, network })
    const at = options.metrics == null
      ? undefined
      : await serve(createMetricsServer(metrics, health), parseListenAddress(options.metrics))
    const bound = await serve(main, parseListenAddress(options.listen))
    const url = urlOf(bound)

    const withdraw = await announceGateway(repo.path, url)

    if (withdraw == null) {
      onNote('the repo is read-only: what adds to it cannot detect this gateway')
    } else {
      undo.push(withdraw)
    }

    return {
      url,
      otherUrls: otherUrls(bound, networkInterfaces()),
      subdomainUrl: isLocalhost(bound) ? `http://localhost:${bound.port}` : undefined,
      metricsUrl: at == null ? undefined : `${urlOf(at)}/metrics`,
      cached,
      metrics,
      stop: async () => undoAll(undo)
    }
  } catch (err) {
    await undoAll(undo)
    throw err
  }
}

/** What a start has made by then. */
interface Made {
  parts: GatewayParts
  options: ServeGatewayOptions
  now: () => number
  /** How long a fetch may go without any block arriving, in milliseconds. */
  timeout: number
  onNote: (message: string) => void
  links: RepoLinks
  metrics: Metrics
  cache: SharedCache | undefined
  signal: AbortSignal
}

async function makeServer ({ options, now, timeout, metrics }: Made, gateway: Gateway): Promise<Server> {
  const { maxRequests: requests, maxRequestsPerAddress: requestsPerAddress, trustProxy, onEntry } = options
  const server = createNodeServer(gateway, {
    maxConnections: await maxConnections(),
    requests,
    requestsPerAddress,
    idleTimeout: Math.min(Math.max(timeout, DEFAULT_STALL_TIMEOUT) + IDLE_MARGIN, LONGEST_TIMER),
    trustProxy
  }) as Server

  observe(server, {
    metrics,
    isTrusted: trustedProxies(trustProxy),
    now,
    onEntry: entry => {
      if (onEntry?.(entry) === false) {
        metrics.dropLine()
      }
    }
  })

  return server
}

function makeGateway ({ parts, options, now, timeout, onNote, links, metrics, cache, signal }: Made): Gateway {
  const { repo, originals, network, upstream } = parts
  const names = new GatewayNames({ repo, network, usesDns: fetches(parts), signal })
  const blocks = new MemoryBlockCache(originals ?? repo.blockstore)
  const readable = originals == null ? blocks : linkedFirst(blocks, repo.blockstore, originals)
  const files = ipfsz({ blockstore: readable, datastore: links }, READ_INIT)
  const components = {
    fs: countDecompressed(files, metrics),
    blocks: {
      get: (cid, options) => blocks.get(cid, options),
      has: async (cid, options) => blocks.has(cid, options),
      getStored: storedBlocks(repo.blockstore, originals)
    },
    names
  } satisfies GatewayComponents
  const gatewayInit = {
    subdomainHosts: ['localhost', ...options.host ?? []],
    onError: noteFailures({ onNote, now }),
    compressor: compressorOf(options)
  }

  if (!fetches(parts)) {
    return createGateway(components, gatewayInit)
  }

  const patience = timeout + PATIENCE_MARGIN
  const readers = { repo: { blockstore: readable }, links, network, upstream, cache, metrics, timeout, signal }

  return createFetchingGateway(readers, components, {
    ...gatewayInit,
    limits: {
      startTimeout: Math.max(DEFAULT_START_TIMEOUT, patience),
      stallTimeout: Math.max(DEFAULT_STALL_TIMEOUT, patience)
    }
  })
}

function compressorOf (
  { compress, compressCpu: percent, compressCache: cacheSize }: ServeGatewayOptions
): GatewayInit['compressor'] {
  return compress == null
    ? undefined
    : createCompressor({
      files: compress === 'all', cacheSize, cpuShare: percent == null ? undefined : percent / 100
    })
}

function fetches ({ network, upstream }: GatewayParts): boolean {
  return network != null || upstream != null
}

/** Tells of what a gateway does as events of the node. */
export function noteTo (context: NodeContext): (message: string) => void {
  return message => { emit(context, 'ipfsz:warning', { message, isMinor: false }) }
}

/**
 * The blocks that files are read from if originals are served. It does not admit to having the root of an original
 * file: such a file is then read through its link, and goes out in the frames that are stored. All its blocks, and
 * those of original directories, are there for whoever follows a path or asks for a block.
 */
function linkedFirst (
  blocks: MemoryBlockCache,
  repo: Pick<Repo['blockstore'], 'has'>,
  originals: DerivedBlockstore
): IpfszComponents['blockstore'] {
  return viewOf(blocks, {
    has: async (cid, options) =>
      await repo.has(cid, options) || (await originals.original(cid))?.type === 'directory'
  })
}
