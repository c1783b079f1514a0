import { checkBlock } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many bytes of blocks are kept in memory, 64 MiB. */
export const DEFAULT_CACHED_BYTES = 64 * 1024 * 1024

/**
 * How long a block that was seen on the disk counts as being there, in milliseconds. That is shorter than any command
 * that deletes blocks takes, and saves a look at the disk for each request if many ask for the same file.
 */
const DEFAULT_FRESH_TIME = 10

/** Larger blocks are not kept, 2 MiB: no other node takes them. */
const MAX_CACHED_BLOCK = 2 * 1024 * 1024

/** About what an entry takes besides the bytes of its block. */
const ENTRY_SIZE = 512

type Store = Pick<IpfszComponents['blockstore'], 'checksBlocks' | 'get' | 'has' | 'put'>

interface GetOptions {
  signal?: AbortSignal
}

interface MemoryBlockCacheInit {
  /** @default 67108864 */
  maxBytes?: number
  /** @default 10 */
  freshTime?: number
}

interface CachedBlock {
  bytes: Uint8Array
  /** When it was last seen on the disk, on the clock of `performance.now`. */
  seen: number
}

/**
 * Keeps the blocks that were read last in memory, up to a number of bytes. Each is read once for all who ask for it
 * at the same time, and compared with its CID once. A block that was deleted is returned for `freshTime` at most.
 */
export class MemoryBlockCache implements Store {
  /** Tells core that blocks need not be compared again. */
  readonly checksBlocks = true
  readonly #blockstore: Store
  readonly #freshTime: number
  /** The one that was read from the disk, or seen there, last is last. */
  readonly #blocks: LruMap<string, CachedBlock>
  readonly #reading = new SingleFlight<Uint8Array>()

  constructor (
    blockstore: Store,
    { maxBytes = DEFAULT_CACHED_BYTES, freshTime = DEFAULT_FRESH_TIME }: MemoryBlockCacheInit = {}
  ) {
    this.#blockstore = blockstore
    this.#freshTime = freshTime
    this.#blocks = new LruMap({ maxSize: maxBytes, sizeOf: ({ bytes }) => bytes.byteLength + ENTRY_SIZE })
  }

  /** @throws {CorruptBlockError} its bytes do not match the CID */
  async * get (cid: CID, options: GetOptions = {}): AsyncGenerator<Uint8Array> {
    const key = cid.toString()
    const cached = this.#blocks.peek(key)

    if (cached != null && await this.#isThere(key, cid, options)) {
      yield cached.bytes
      return
    }

    yield await this.#reading.run(key, async unneeded => this.#read(key, cid, unneeded), options.signal)
  }

  async has (cid: CID, options?: GetOptions): Promise<boolean> {
    return this.#isThere(cid.toString(), cid, options)
  }

  async put (...args: Parameters<Store['put']>): Promise<CID> {
    return this.#blockstore.put(...args)
  }

  async #isThere (key: string, cid: CID, options?: GetOptions): Promise<boolean> {
    const cached = this.#blocks.peek(key)

    if (cached != null && performance.now() - cached.seen < this.#freshTime) {
      return true
    }

    const isThere = await this.#blockstore.has(cid, options)

    if (cached != null && isThere) {
      this.#keep(key, cached.bytes)
    } else {
      this.#blocks.delete(key)
    }

    return isThere
  }

  async #read (key: string, cid: CID, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await collectBytes(this.#blockstore.get(cid, { signal }))

    if (this.#blockstore.checksBlocks !== true) {
      await checkBlock(cid, bytes)
    }

    this.#keep(key, bytes)

    return bytes
  }

  #keep (key: string, bytes: Uint8Array): void {
    if (bytes.byteLength <= MAX_CACHED_BLOCK) {
      this.#blocks.set(key, { bytes, seen: performance.now() })
    }
  }
}
