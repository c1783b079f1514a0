import { networkInterfaces } from 'node:os'
import { createCompressor, createGateway, DEFAULT_STALL_TIMEOUT, DEFAULT_START_TIMEOUT } from '@ipfsz/gateway'
import { createNodeServer, trustedProxies } from '@ipfsz/gateway/node'
import { ipfsz } from '@ipfsz/core'
import { maxConnections } from './connections.ts'
import { countDecompressed } from './counted-files.ts'
import { openCache } from './open-cache.ts'
import { noteFailures } from './failures.ts'
import { createFetchingGateway } from './fetching.ts'
import { announceGateway } from './gateway-file.ts'
import { HealthCheck } from './health.ts'
import { isLocalhost, otherUrls, urlOf } from './listen-address.ts'
import { linkedFirst } from './linked-first.ts'
import { MemoryBlockCache } from './memory-block-cache.ts'
import { Metrics } from './metrics.ts'
import { GatewayNames } from './names.ts'
import { observe } from './observe.ts'
import { READ_INIT } from './read-init.ts'
import { RepoLinks } from './repo-links.ts'
import { createMetricsServer, listen, shutDown } from './serve.ts'
import { storedBlocks } from './stored-blocks.ts'
import { packageVersion } from '../version.ts'
import type { AccessEntry } from './access-log.ts'
import type { FetchNetwork } from './fetch-network.ts'
import type { OpenedCache } from './open-cache.ts'
import type { Upstream } from './upstream.ts'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { ListenAddress } from './listen-address.ts'
import type { LookUpTxt } from './dns-link.ts'
import type { Repo } from '../repo/repo.ts'
import type { DerivedBlockstore } from '@ipfsz/core/originals'
import type { CompressorInit, Gateway, GatewayComponents } from '@ipfsz/gateway'
import type { TrustedProxies } from '@ipfsz/gateway/node'
import type { Server } from 'node:http'

export interface StartGatewayInit {
  repo: Repo
  /** The blocks of the repo with those of the originals of its files, if they are served. */
  originals?: DerivedBlockstore | undefined
  listen: ListenAddress
  /** Where Prometheus reads metrics. */
  metrics?: ListenAddress | undefined
  /** Other nodes, to fetch what the repo lacks and to resolve names. */
  network?: FetchNetwork | undefined
  /** Other gateways, to fetch what the repo lacks. They are asked before the network. */
  upstream?: Upstream | undefined
  /**
   * Maximum bytes on the disk of what is fetched. 0 keeps nothing.
   *
   * @default 10 GiB
   */
  cacheSize?: number | undefined
  /** How long a fetch may go without any block arriving, in milliseconds. */
  timeout: number
  /** Hosts, besides `localhost`, on whose subdomains each CID has an origin of its own. */
  subdomainHosts?: readonly string[] | undefined
  /** Proxies whose `X-Forwarded-For` is believed. */
  trustProxy?: TrustedProxies | undefined
  /** How to compress what is not stored compressed. Undefined: it goes out as it is. */
  compression?: CompressorInit | undefined
  /** Maximum requests that are answered at once, and of one address. */
  requests?: number | undefined
  requestsPerAddress?: number | undefined
  /** The time, in milliseconds since 1970. */
  now: () => number
  /** Called for each request when its response is over. Returns false if the entry was dropped. */
  onEntry?: ((entry: AccessEntry) => boolean) | undefined
  onNote: (message: string) => void
  /** @default DNS, as the system is configured */
  lookUpTxt?: LookUpTxt | undefined
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
export async function startGateway (init: StartGatewayInit): Promise<RunningGateway> {
  const metrics = new Metrics(packageVersion())
  /** Steps that undo the start, in the order of the start. */
  const undo: Array<() => Promise<void>> = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) {
      await step()
    }
  }
  let main: Server | undefined
  const serve = async (server: Server, address: ListenAddress): Promise<ListenAddress> => {
    const bound = await listen(server, address)
    // the server for metrics waits for nobody
    undo.push(async () => { await shutDown(server, server === main ? metrics : { inFlight: 0 }) })

    return bound
  }

  const ended = new AbortController()
  undo.push(async () => { ended.abort() })

  const links = new RepoLinks(init.repo, ended.signal)
  undo.push(async () => { await links.close() })

  try {
    const cached = fetches(init) ? await openCache(init) : undefined
    undo.push(async () => { await cached?.cache.close() })
    metrics.watchCache(cached?.cache)
    metrics.watchStore(init.repo.shared?.traffic)
    main = await makeServer(init, makeGateway(init, links, metrics, ended.signal, cached?.cache), metrics)

    const health = new HealthCheck({ repo: init.repo, network: init.network })
    const at = init.metrics == null ? undefined : await serve(createMetricsServer(metrics, health), init.metrics)
    const bound = await serve(main, init.listen)
    const url = urlOf(bound)

    const withdraw = await announceGateway(init.repo.path, url)

    if (withdraw == null) {
      init.onNote('the repo is read-only: what adds to it cannot detect this gateway')
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
      stop
    }
  } catch (err) {
    await stop()
    throw err
  }
}

async function makeServer (init: StartGatewayInit, gateway: Gateway, metrics: Metrics): Promise<Server> {
  const server = createNodeServer(gateway, {
    maxConnections: await maxConnections(),
    requests: init.requests,
    requestsPerAddress: init.requestsPerAddress,
    idleTimeout: Math.min(Math.max(init.timeout, DEFAULT_STALL_TIMEOUT) + IDLE_MARGIN, LONGEST_TIMER),
    trustProxy: init.trustProxy
  }) as Server

  observe(server, {
    metrics,
    isTrusted: trustedProxies(init.trustProxy),
    now: init.now,
    onEntry: entry => {
      if (init.onEntry?.(entry) === false) {
        metrics.dropLine()
      }
    }
  })

  return server
}

function makeGateway (
  init: StartGatewayInit,
  links: RepoLinks,
  metrics: Metrics,
  signal: AbortSignal,
  cache: SharedCache | undefined
): Gateway {
  const { repo, network, upstream, timeout, subdomainHosts = [], compression, lookUpTxt, now, onNote } = init
  const { originals } = init
  const names = new GatewayNames({ repo, network, usesDns: fetches(init), lookUpTxt, signal })
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
    subdomainHosts: ['localhost', ...subdomainHosts],
    onError: noteFailures({ onNote, now }),
    compressor: compression == null ? undefined : createCompressor(compression)
  }

  if (!fetches(init)) {
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

function fetches ({ network, upstream }: StartGatewayInit): boolean {
  return network != null || upstream != null
}
