import { checkBlock } from '@ipfsz/core'
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

/** Why a read is given up. Made once: an abort without a reason makes an error, with its stack, each time. */
const NO_READER = new DOMException('Nobody waits for the block', 'AbortError')

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

/** A block that is being read, for everybody who asked for it. */
interface Reading {
  bytes: Promise<Uint8Array>
  readers: number
  unneeded: AbortController
}

/**
 * Keeps the blocks that were read last in memory, up to a number of bytes. Each is read once for all who ask for it
 * at the same time, and compared with its CID once. A block that was deleted is returned for `freshTime` at most.
 */
export class MemoryBlockCache implements Store {
  /** Tells core that blocks need not be compared again. */
  readonly checksBlocks = true
  readonly #blockstore: Store
  readonly #init: Required<MemoryBlockCacheInit>
  /** The one that was read from the disk, or seen there, last is last. */
  readonly #blocks = new Map<string, CachedBlock>()
  readonly #reading = new Map<string, Reading>()
  #bytes = 0

  constructor (blockstore: Store, init: MemoryBlockCacheInit = {}) {
    this.#blockstore = blockstore
    this.#init = { maxBytes: DEFAULT_CACHED_BYTES, freshTime: DEFAULT_FRESH_TIME, ...init }
  }

  /**
   * @throws {NotFoundError}
   * @throws {CorruptBlockError} its bytes do not match the CID
   */
  async * get (cid: CID, options: GetOptions = {}): AsyncGenerator<Uint8Array> {
    const key = cid.toString()
    const cached = this.#blocks.get(key)

    if (cached != null && await this.#isThere(key, cid, options)) {
      yield cached.bytes
      return
    }

    yield await this.#share(key, cid, options)
  }

  async has (cid: CID, options?: GetOptions): Promise<boolean> {
    return this.#isThere(cid.toString(), cid, options)
  }

  async put (...args: Parameters<Store['put']>): Promise<CID> {
    return this.#blockstore.put(...args)
  }

  async #isThere (key: string, cid: CID, options?: GetOptions): Promise<boolean> {
    const cached = this.#blocks.get(key)

    if (cached != null && performance.now() - cached.seen < this.#init.freshTime) {
      return true
    }

    const isThere = await this.#blockstore.has(cid, options)

    if (cached != null && isThere) {
      this.#keep(key, cached.bytes)
    } else {
      this.#drop(key)
    }

    return isThere
  }

  /** Read a block, together with all others who want it. The last one who leaves ends the read. */
  async #share (key: string, cid: CID, { signal }: GetOptions): Promise<Uint8Array> {
    signal?.throwIfAborted()

    const reading = this.#reading.get(key) ?? this.#start(key, cid)
    const leave = (): void => {
      if (--reading.readers === 0) {
        reading.unneeded.abort(NO_READER)
        this.#end(key, reading)
      }
    }

    reading.readers++
    signal?.addEventListener('abort', leave, { once: true })

    try {
      return await reading.bytes
    } catch (err) {
      signal?.throwIfAborted()
      throw err
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #start (key: string, cid: CID): Reading {
    const unneeded = new AbortController()
    const reading = { bytes: this.#read(cid, unneeded.signal), readers: 0, unneeded }

    this.#reading.set(key, reading)
    // those who wait get its failure
    this.#finish(key, reading).catch(() => {})

    return reading
  }

  async #finish (key: string, reading: Reading): Promise<void> {
    try {
      this.#keep(key, await reading.bytes)
    } finally {
      this.#end(key, reading)
    }
  }

  #end (key: string, reading: Reading): void {
    if (this.#reading.get(key) === reading) {
      this.#reading.delete(key)
    }
  }

  async #read (cid: CID, signal: AbortSignal): Promise<Uint8Array> {
    const parts: Uint8Array[] = []

    for await (const part of this.#blockstore.get(cid, { signal })) {
      parts.push(part)
    }

    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts)

    if (this.#blockstore.checksBlocks !== true) {
      await checkBlock(cid, bytes)
    }

    return bytes
  }

  #keep (key: string, bytes: Uint8Array): void {
    this.#drop(key)

    if (bytes.byteLength > MAX_CACHED_BLOCK) {
      return
    }

    this.#blocks.set(key, { bytes, seen: performance.now() })
    this.#bytes += sizeOf(bytes)

    while (this.#bytes > this.#init.maxBytes) {
      const [oldest] = this.#blocks.keys()
      this.#drop(oldest)
    }
  }

  #drop (key: string): void {
    const cached = this.#blocks.get(key)

    if (cached != null) {
      this.#bytes -= sizeOf(cached.bytes)
      this.#blocks.delete(key)
    }
  }
}

function sizeOf (bytes: Uint8Array): number {
  return bytes.byteLength + ENTRY_SIZE
}
