import { ipfsz, unmark } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import all from 'it-all'
import { CORE_TIMEOUT_MARGIN } from '../context.ts'
import { countDecompressed } from './counted-files.ts'
import { storedBlocks } from './stored-blocks.ts'
import { NetworkBlockstore } from '../network/blockstore.ts'
import type { Metrics } from './metrics.ts'
import type { ReadAhead } from './read-ahead.ts'
import type { Network } from '../network/network.ts'
import type { Repo } from '../repo/repo.ts'
import type { LinkDatastore } from '@ipfsz/core'
import type { Gateway, GatewayComponents, GatewayInit } from '@ipfsz/gateway'
import type { CID } from 'multiformats/cid'

/** How many roots have readers, and for how long, in milliseconds: a reader searches for peers only once. */
const MAX_READERS = 64
const READER_LIFETIME = 5 * 60_000

export interface FetchingInit {
  repo: Repo
  links: LinkDatastore
  network: Pick<Network, 'fetch' | 'peers'>
  metrics: Pick<Metrics, 'decompressed' | 'fetched'>
  readAhead: Pick<ReadAhead, 'limit'>
  /** How long a fetch may go without any block arriving, in milliseconds. */
  timeout: number
  signal: AbortSignal
}

/** What reads the blocks below one root. */
type Reader = Pick<GatewayComponents, 'blocks' | 'fs'>

/**
 * A gateway that fetches what the repo lacks. The providers of a root are asked for all blocks below it, so
 * each request reads through what belongs to its root.
 */
export function createFetchingGateway (
  init: FetchingInit,
  names: GatewayComponents['names'],
  gatewayInit: GatewayInit
): Gateway {
  const readers = new Readers(init)

  return async request => {
    let reader: Reader | undefined
    const of = (cid: CID): Reader => reader ??= readers.get(cid)
    const { getStored } = readers

    return createGateway({
      fs: {
        // as in `Ipfsz`, whose `stat` has two signatures
        stat: (async (cid: CID, ...rest) => of(cid).fs.stat(cid, ...rest)) as GatewayComponents['fs']['stat'],
        ls: (cid, ...rest) => of(cid).fs.ls(cid, ...rest),
        storedFile: async (cid, ...rest) => of(cid).fs.storedFile(cid, ...rest),
        cat: (cid, ...rest) => of(cid).fs.cat(cid, ...rest)
      },
      blocks: {
        get: (cid, options) => of(cid).blocks.get(cid, options),
        has: (cid, options) => of(cid).blocks.has(cid, options),
        ...getStored == null ? {} : { getStored: async (cid, options) => getStored(of(cid), cid, options) }
      },
      names
    }, {
      ...gatewayInit,
      // called with the root of the request before anything is read
      isServed: async cid => {
        reader = readers.get(cid)

        return await gatewayInit.isServed?.(cid) ?? true
      }
    })(request)
  }
}

interface Opened extends Reader {
  /** On the clock of `performance.now`. */
  openedAt: number
}

class Readers {
  readonly #init: FetchingInit
  readonly #readers = new Map<string, Opened>()
  readonly #stored: ReturnType<typeof storedBlocks>

  constructor (init: FetchingInit) {
    this.#init = init
    this.#stored = storedBlocks(init.repo.blockstore)
  }

  /** Get a block as it is stored, or as it arrives. Undefined if the repo compresses no blocks. */
  get getStored (): ((reader: Reader, ...args: GetStoredArguments) => ReturnType<GetStored>) | undefined {
    const getStored = this.#stored

    return getStored == null
      ? undefined
      : async ({ blocks }, cid, options) => {
        try {
          return await getStored(cid, options)
        } catch (err) {
          if (!(err instanceof Error && err.name === 'NotFoundError')) {
            throw err
          }
        }

        const payload = Buffer.concat(await all(blocks.get(cid, options)))

        return { codec: 'none', size: payload.byteLength, payload }
      }
  }

  get (cid: CID): Reader {
    const root = unmark(cid)
    const key = root.toString()
    const known = this.#readers.get(key)
    const isFresh = known != null && performance.now() - known.openedAt < READER_LIFETIME
    const reader = isFresh ? known : this.#open(root, () => {
      if (this.#readers.get(key) === reader) {
        this.#readers.delete(key)
      }
    })

    // the one that was used last is last
    this.#readers.delete(key)
    this.#readers.set(key, reader)

    if (this.#readers.size > MAX_READERS) {
      const [oldest] = this.#readers.keys()
      this.#readers.delete(oldest)
    }

    return reader
  }

  /** @param onFailed - called when a block did not arrive: the next request searches for peers again */
  #open (root: CID, onFailed: () => void): Opened {
    const { repo, links, network, metrics, readAhead, timeout, signal } = this.#init
    const blockstore = new NetworkBlockstore({
      blockstore: repo.blockstore,
      network: async () => ({
        peers: async () => network.peers(),
        fetch: async (cid, options) => {
          try {
            const block = await withPlainAbort(options.signal, async signal =>
              network.fetch(cid, { ...options, signal }))
            metrics.fetched(block.bytes.byteLength)

            return block
          } catch (err) {
            onFailed()
            throw err
          }
        }
      }),
      root,
      timeout,
      signal
    })
    const files = ipfsz({ blockstore, datastore: links }, { fetch: { timeout: timeout + CORE_TIMEOUT_MARGIN } })

    return {
      fs: readAhead.limit(countDecompressed(files, metrics)),
      blocks: {
        get: (cid, options) => blockstore.get(cid, options),
        has: async (cid, options) => repo.blockstore.has(cid, options)
      },
      openedAt: performance.now()
    }
  }
}

type GetStored = NonNullable<GatewayComponents['blocks']['getStored']>
type GetStoredArguments = Parameters<GetStored>

/**
 * Work with a signal that aborts with an AbortError, whatever the reason of the given one. Requests for the
 * same block share one fetch: when the first ends, the others tell by that name to go on.
 */
async function withPlainAbort<T> (signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const plain = new AbortController()
  const abort = (): void => { plain.abort() }

  signal.throwIfAborted()
  signal.addEventListener('abort', abort, { once: true })

  try {
    return await work(plain.signal)
  } catch (err) {
    signal.throwIfAborted()
    throw err
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
