import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
import { InvalidParametersError, ipfszReader, unmark } from '@ipfsz/core/reader'
import { LruMap } from '@ipfsz/utils/lru-map'
import { assembleGateway, DEFAULT_STALL_TIMEOUT, DEFAULT_START_TIMEOUT } from '../assemble-gateway.ts'
import { GatewayError } from '../errors.ts'
import { parseCid } from '../request/content-root.ts'
import { ParsedRedirects } from '../resolve/parsed-redirects.ts'
import { ToldOnce } from '../respond/told-once.ts'
import { BlockCache } from './block-cache.ts'
import { DecodingTurns } from './decoding-turns.ts'
import { GatewaySources } from './gateway-sources.ts'
import { restrict } from './page-policy.ts'
import { SITE_HOST } from './site.ts'
import { StoredBlocks } from './stored-blocks.ts'
import { WEB_TYPES } from './web-types.ts'
import { yieldingCodec } from './yielding-codec.ts'
import type { FetchedBlock } from './gateway-sources.ts'
import type { OwnRequest } from './own-request.ts'
import type { GatewayLimits, RootReader } from '../contract.ts'
import type { GatewayParts } from '../respond/context.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** Maximum number of bytes of blocks that are kept in the browser's storage, 256 MiB. */
export const DEFAULT_CACHE_SIZE = 256 * 1024 * 1024

/** Maximum bytes that all responses hold of what their readers have not taken, 64 MiB: phones end larger workers. */
const HELD_BYTES = 64 * 1024 * 1024

/** What one response reads ahead, in bytes. */
const READ_AHEAD = 8 * 1024 * 1024

/** How long the gateways may send nothing, half a minute in milliseconds: people look at an empty page meanwhile. */
export const DEFAULT_TIMEOUT = 30_000

/** How often a gateway that keeps silent is asked within that time, and the longest that it is waited for at once. */
const ATTEMPTS = 3
const LONGEST_ATTEMPT = 10_000

/** The longest time that a timer can have, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

/** How many readers are kept, each with the roots of the files that it read last. */
const MAX_READERS = 8

/** How requests are answered. */
export interface WorkerGatewayInit {
  /**
   * The URLs of trustless gateways, such as `https://trustless-gateway.link`. They need not know IPFSz, and are not
   * trusted: every block is compared with its CID.
   */
  gateways: readonly string[]
  /**
   * What decompresses files.
   *
   * @default [zstdDecoder()], which is part of every bundle and has no WebAssembly
   */
  codecs?: readonly Codec[] | undefined
  /**
   * Roots whose pages may run scripts, which then can do all that this site can. Pages of other roots are shown without
   * scripts.
   *
   * @default []
   */
  trusted?: ReadonlyArray<CID | string> | undefined
  /**
   * Maximum bytes of blocks that are kept in the browser's storage. Those that were used longest ago make room for
   * others. With 0, nothing is stored.
   *
   * @default 268435456
   */
  cacheSize?: number | undefined
  /** Called for each block that a gateway has sent and a request needs: to show what a page costs. */
  onBlock?: ((block: FetchedBlock) => void) | undefined
  /**
   * Milliseconds that a response waits while no gateway sends anything. Then it fails, with an error that names what is
   * missing. Each gateway has a third of it to answer, and at most 10 seconds.
   *
   * @default 30000
   */
  timeout?: number | undefined
}

/** Answers requests for files and directories with their original bytes. */
export type WorkerGateway = (request: Request, own: OwnRequest) => Promise<Response>

const NO_CACHE = { get: () => undefined, set: () => {} }

/** Only files and directories: `readOwnRequest` lets through no other formats. */
const PARTS: GatewayParts = {
  responders: {},
  respondDocument: async ({ resolved: { cid } }) => {
    throw new GatewayError(406, `${cid} is neither a file nor a directory`)
  },
  types: WEB_TYPES,
  caches: { types: new ToldOnce(NO_CACHE), redirects: new ParsedRedirects(), pages: NO_CACHE }
}

/**
 * @throws {InvalidGatewayUrlError} one of `gateways` is not the URL of a gateway
 * @throws {InvalidParametersError} there are no gateways, one of `trusted` is not a CID, or `timeout` is not above 0
 */
export function createWorkerGateway ({
  gateways,
  codecs = [zstdDecoder()],
  trusted = [],
  cacheSize = DEFAULT_CACHE_SIZE,
  timeout = DEFAULT_TIMEOUT,
  onBlock
}: WorkerGatewayInit): WorkerGateway {
  if (gateways.length === 0) {
    throw new InvalidParametersError('A service worker needs at least one gateway to fetch from')
  }

  const trustedRoots = new Set(trusted.map(parseRoot))
  const blocks = new BlockCache(new StoredBlocks(cacheSize))
  const stallTimeout = Math.min(timeout / ATTEMPTS, LONGEST_ATTEMPT)
  const sources = new GatewaySources(gateways, stallTimeout, onBlock)
  const readers = new LruMap<string, RootReader>({ maxEntries: MAX_READERS })
  const turns = new DecodingTurns()
  const yielding = codecs.map(codec => yieldingCodec(codec, turns))
  const reading = {
    codecs: yielding,
    inFlightBytes: READ_AHEAD,
    fetch: { maxBytes: READ_AHEAD, stallTimeout, timeout }
  }
  const read = (root: CID): RootReader['fs'] =>
    ipfszReader({ blockstore: blocks, sources: [sources.below(root)] }, reading)

  const below = (cid: CID): RootReader => {
    const root = unmark(cid)
    const key = root.toString()
    const reader = readers.get(key) ?? { fs: read(root), blocks }
    readers.set(key, reader)

    return reader
  }

  // whatever is read, is read below a root
  const nothing = ipfszReader({ blockstore: blocks }, reading)
  const gateway = assembleGateway({ fs: nothing, blocks, below }, {
    // and no others: a path on `localhost` stays where it is
    subdomainHosts: [SITE_HOST],
    limits: { heldBytes: HELD_BYTES, ...responseTimes(timeout) },
    onError: err => { console.error(err) }
  }, PARTS)

  return async (request, { url, root, plan }) => {
    sources.plan(root, plan)

    return restrict(await gateway(requestOf(url, request)), trustedRoots.has(root.toV1().toString()))
  }
}

/** The same for another URL. A request of a navigation cannot be copied as it is. */
function requestOf (url: string, request: Request): Request {
  const { method, headers, signal } = request

  return url === request.url ? request : new Request(url, { method, headers, signal })
}

/** How long a response may take: longer than its blocks, which fail with a better reason. */
function responseTimes (timeout: number): Pick<GatewayLimits, 'startTimeout' | 'stallTimeout'> {
  const time = Math.min(timeout * 2, LONGEST_TIMER)

  return {
    startTimeout: Math.max(time, DEFAULT_START_TIMEOUT),
    stallTimeout: Math.max(time, DEFAULT_STALL_TIMEOUT)
  }
}

/** @throws {InvalidParametersError} it is not a CID */
function parseRoot (root: CID | string): string {
  const cid = parseCid(root.toString())

  if (cid == null) {
    throw new InvalidParametersError(`The trusted root ${JSON.stringify(root)} is not a CID`)
  }

  return unmark(cid).toV1().toString()
}
