import { AsyncLocalStorage } from 'node:async_hooks'
import { ipfsz, unmark } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { LruMap } from '@ipfsz/utils/lru-map'
import { storedOrPlain } from '../dag/stored-or-plain.ts'
import { countDecompressed } from './counted-files.ts'
import { READ_INIT } from './read-init.ts'
import { RecentBlocks } from './recent-blocks.ts'
import { KeptBlocks } from './root-blocks.ts'
import { SharedFetches } from './shared-fetches.ts'
import { PeerSource } from '../network/sources/peer-source.ts'
import type { Metrics } from './metrics.ts'
import type { Upstream } from './upstream.ts'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { PeerNetwork } from '../network/sources/peer-source.ts'
import type { BlockSource, IpfszComponents, LinkDatastore } from '@ipfsz/core'
import type { Gateway, GatewayComponents, GatewayInit, RootReader } from '@ipfsz/gateway'
import type { CID } from 'multiformats/cid'

/** How many roots have readers, and for how long, in milliseconds: a reader searches for peers only once. */
const MAX_READERS = 64
const READER_LIFETIME = 5 * 60_000

export interface FetchingInit {
  repo: { blockstore: Pick<IpfszComponents['blockstore'], 'checksBlocks' | 'get' | 'has'> }
  links: LinkDatastore
  /** Peers to ask for what no upstream gateway sends. */
  network?: PeerNetwork | undefined
  /** Gateways to ask first. */
  upstream?: Upstream | undefined
  /** Keeps what is fetched. Without it, only the blocks that arrived last are remembered. */
  cache?: SharedCache | undefined
  metrics: Pick<Metrics, 'decompressed' | 'fetched'>
  /** How long a fetch may go without any block arriving, in milliseconds. */
  timeout: number
  signal: AbortSignal
}

/** What is noted of a request. */
interface Note {
  /** Whether its root was read. */
  reads: boolean
  /** Whether a block had to be fetched for it. */
  fetched: boolean
}

/**
 * A gateway that fetches what the repo lacks, and writes nothing to the repo. Upstream gateways are asked first,
 * then the providers of a root for all blocks below it.
 *
 * Its responses say whether anything had to be fetched before they began: `X-Cache: HIT` or `MISS`.
 *
 * @param components - what reads the repo
 */
export function createFetchingGateway (
  init: FetchingInit,
  components: GatewayComponents,
  gatewayInit?: GatewayInit
): Gateway {
  // readers serve many requests at once: this tells for which one a block is fetched
  const notes = new AsyncLocalStorage<Note>()
  const onFetched = (): void => {
    const note = notes.getStore()

    if (note != null) {
      note.fetched = true
    }
  }
  const readers = new Readers(init, components, onFetched)
  const gateway = createGateway({
    ...components,
    below: root => {
      const note = notes.getStore()

      if (note != null) {
        note.reads = true
      }

      return readers.get(root)
    }
  }, gatewayInit)

  return async request => {
    if (init.upstream?.hasSent(request) === true) {
      return new Response('This gateway does not have it: the request came from this gateway itself\n', {
        status: 404,
        // a cache between would give it to others
        headers: { 'cache-control': 'no-store' }
      })
    }

    const note: Note = { reads: false, fetched: false }
    const response = await notes.run(note, async () => gateway(request))

    if (note.reads && response.status < 400) {
      response.headers.set('x-cache', note.fetched ? 'MISS' : 'HIT')
    }

    return response
  }
}

interface Opened extends RootReader {
  /** On the clock of `performance.now`. */
  openedAt: number
}

class Readers {
  readonly #init: FetchingInit
  readonly #repoBlocks: GatewayComponents['blocks']
  readonly #onFetched: () => void
  /** For each source of a root, in order. */
  readonly #shared: SharedFetches[] = []
  readonly #recent = new RecentBlocks()
  readonly #readers = new LruMap<string, Opened>({ maxEntries: MAX_READERS })

  constructor (init: FetchingInit, { blocks }: Pick<GatewayComponents, 'blocks'>, onFetched: () => void) {
    this.#init = init
    this.#repoBlocks = blocks
    this.#onFetched = onFetched
  }

  get (cid: CID): RootReader {
    const root = unmark(cid)
    const key = root.toString()
    const known = this.#readers.get(key)
    const isFresh = known != null && performance.now() - known.openedAt < READER_LIFETIME
    const reader = isFresh ? known : this.#open(root, () => {
      if (this.#readers.peek(key) === reader) {
        this.#readers.delete(key)
      }
    })

    this.#readers.set(key, reader)

    return reader
  }

  /** @param onFailed - called when a block did not arrive: the next request searches for peers again */
  #open (root: CID, onFailed: () => void): Opened {
    const { repo, links, metrics, timeout, cache } = this.#init
    const kept = new KeptBlocks(repo.blockstore, cache)
    const sources = [kept.good, ...this.#sourcesBelow(root, onFailed)]
    const files = ipfsz({ blockstore: kept, datastore: links, sources }, {
      ...READ_INIT,
      fetch: { ...READ_INIT.fetch, timeout }
    })
    const blocks = files.blocks(root)
    const { getStored } = this.#repoBlocks

    return {
      fs: countDecompressed(files, metrics),
      blocks: { ...blocks, ...getStored == null ? {} : { getStored: storedOrPlain(getStored, blocks) } },
      openedAt: performance.now()
    }
  }

  /** Gateways, then peers, then the gateways that peers advertise. */
  #sourcesBelow (root: CID, onFailed: () => void): BlockSource[] {
    const { network, upstream } = this.#init
    const { before, after } = upstream?.sources(root) ?? { before: [], after: [] }
    const peers = network == null ? [] : [new PeerSource({ network: async () => network, root, store: false })]
    const sources = [...before, ...peers, ...after].map((source, i) => {
      // not one for all: when a gateway keeps silent, peers are asked for the same block
      const fetches = this.#shared[i] ??= new SharedFetches(this.#recent)

      return this.#share(source, fetches)
    })
    // peers, or whatever else the search for a block ends with
    const last = before.length + peers.length - 1

    return sources.map((source, i) => i === last ? notifying(source, onFailed) : source)
  }

  /** The same source for all requests at once, with its blocks counted. */
  #share (source: BlockSource, fetches: SharedFetches): BlockSource {
    const { metrics, signal } = this.#init
    const counted: BlockSource = {
      fetch: async (cid, options) => {
        const block = await source.fetch(cid, options)
        metrics.fetched(block.bytes.byteLength)

        return block
      }
    }

    return {
      fetch: async (cid, options) => {
        const either = AbortSignal.any([signal, options.signal])
        const { fetched, ...block } = await fetches.fetch(cid, counted, { ...options, signal: either })

        if (fetched) {
          this.#onFetched()
        }

        return block
      },
      failures: () => source.failures?.() ?? [],
      gaveUp: async (...args) => source.gaveUp?.(...args)
    }
  }
}

function notifying (source: BlockSource, onFailed: () => void): BlockSource {
  return {
    ...source,
    fetch: async (cid, options) => {
      try {
        return await source.fetch(cid, options)
      } catch (err) {
        // not if another source has sent it, or nobody wants it any longer
        if ((err as Error).name !== 'AbortError') {
          onFailed()
        }

        throw err
      }
    }
  }
}
