import { collectParts, concat, plainArray } from '@ipfsz/utils/bytes'
import { CID } from 'multiformats/cid'
import { blockKey } from '../dag/block-key.ts'
import { checkedFileReader } from '../dag/checked-file.ts'
import { isDamage } from '../dag/damage.ts'
import { checkBlock } from '../dag/hashes.ts'
import { isMissing, isOffline } from '../dag/missing.ts'
import { BlockNotFoundWhileOfflineError, CorruptBlockError } from '../errors.ts'
import { localBlocks } from './local-blocks.ts'
import { isRefusal } from './source.ts'
import type { BlockFetcher, FetchOptions } from './block-fetcher.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { BlockSource, SourceBlock } from './source.ts'
import type { FilePart, GetStore } from '../dag/block.ts'
import type { Blockstore } from 'interface-blockstore'

/** The key of the empty raw block, which an empty file is. An empty node has the same bytes. */
const EMPTY_BLOCK = blockKey(CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'))

/** How many of the parts of files that were found last are remembered: more than are read ahead of large blocks. */
const MAX_HERE = 256

type Store = Pick<Blockstore, 'get' | 'put' | 'has'> & {
  readonly checksBlocks?: boolean | undefined
  readonly freshBlocks?: boolean | undefined
}

export interface FetchingBlockstoreInit {
  blockstore: Store
  fetcher: Pick<BlockFetcher, 'fetch' | 'fetched' | 'window'>
  /** Blocks of all calls that have arrived and are being written, by key. */
  storing: Map<string, Promise<Uint8Array>>
  scope: FetchScope
  /** Those besides the blockstore. If there are none, it may fetch itself, like Helia's. */
  sources: readonly BlockSource[]
}

/**
 * The blockstore of one call. Returns local blocks directly, and fetches those that are missing or damaged. All of them
 * match their CIDs.
 */
export class FetchingBlockstore implements Required<GetStore>, Pick<Store, 'has' | 'put'> {
  readonly checksBlocks = true
  readonly readAheadBytes: number
  readonly #init: FetchingBlockstoreInit
  /** The store below what fetches. */
  readonly #local: ReturnType<typeof localBlocks>
  readonly #readFile: ReturnType<typeof checkedFileReader>
  #fetches = false
  /** How many local blocks are read now. */
  #reading = 0
  /** Resolves once all blocks so far have been looked for locally. */
  #lookedUp = Promise.resolve()
  /** The memory of local blocks that nothing else refers to. A block that was fetched may still be written. */
  readonly #unshared = new WeakSet<ArrayBufferLike>()
  /** The parts of files that were found last. */
  readonly #here: FilePart[] = []

  constructor (init: FetchingBlockstoreInit) {
    this.#init = init
    this.readAheadBytes = init.fetcher.window.maxBytes
    this.#local = localBlocks(init.blockstore)
    this.#readFile = init.blockstore.checksBlocks === true ? undefined : checkedFileReader(this.#local)
  }

  fetches (): boolean {
    return this.#fetches
  }

  isUnshared ({ buffer }: Uint8Array): boolean {
    return this.#unshared.has(buffer)
  }

  put (...args: Parameters<Store['put']>): ReturnType<Store['put']> {
    return this.#init.blockstore.put(...args)
  }

  has (...args: Parameters<Store['has']>): ReturnType<Store['has']> {
    return this.#init.blockstore.has(...args)
  }

  async * get (
    cid: CID,
    options: FetchOptions & { offline?: boolean | undefined } = {}
  ): AsyncGenerator<Uint8Array> {
    const earlier = this.#lookedUp
    const lookUp = Promise.withResolvers<void>()
    // not with Promise.all: the result of each would hold those of all before it
    this.#lookedUp = earlier.then(async () => lookUp.promise)

    const read = await this.#getLocal(cid, options, lookUp.resolve).catch((err: unknown) => ({ err }))

    if (read instanceof Uint8Array) {
      this.#noteFound(cid, options)
      yield plainArray(read)
      return
    }

    const { err } = read
    const damaged = isDamage(err)

    // a networked store never fetches what it has, damaged or not
    const canFetch = this.#init.sources.length > 0 || isOffline(err) || (this.#isNetworked && !damaged)

    if ((!damaged && !isMissing(err)) || !canFetch) {
      throw err
    }

    if (options.offline === true) {
      throw isOffline(err) ? err : new BlockNotFoundWhileOfflineError(cid, 'the blockstore', { cause: err })
    }

    // blocks are fetched in the order in which they are asked for, however long each takes to be missed: that is
    // the order of a file, in which gateways send them
    await earlier
    this.#fetches = true

    try {
      yield plainArray(await this.#fetch(cid, { ...options, part: this.#untilHere(options.part), damaged }))
    } catch (err) {
      throw damaged && isRefusal(err) ? new CorruptBlockError(cid, { cause: err }) : err
    }
  }

  get #isNetworked (): boolean {
    return this.#local !== this.#init.blockstore
  }

  #noteFound (cid: CID, options: FetchOptions): void {
    // what was fetched does not come again in the same response
    if (!this.#init.fetcher.fetched.has(blockKey(cid))) {
      this.#here.splice(0, this.#here.push(...options.part == null ? [] : [options.part]) - MAX_HERE)
      this.#init.sources.forEach(source => { source.found?.(cid, options) })
    }
  }

  #untilHere (part: FilePart | undefined): FilePart | undefined {
    const here = this.#here

    return part && {
      ...part,
      get here () {
        return here.filter(({ file, start }) => start > part.start && file.equals(part.file))
          .toSorted((a, b) => a.start - b.start).at(0)?.start
      }
    }
  }

  async #getLocal (cid: CID, options: FetchOptions, onFound: () => void): Promise<Uint8Array> {
    const { blockstore } = this.#init
    this.#reading++

    try {
      const file = await this.#readFile?.(cid, options, this.#reading > 1)

      if (file != null) {
        this.#unshared.add(file.buffer)
        onFound()
        return file
      }

      const parts = await this.#readLocal(cid, { ...options, offline: true } as Parameters<Store['get']>[1])
        .finally(onFound)
      const bytes = concat(parts)

      if (blockstore.checksBlocks !== true) {
        await checkBlock(cid, bytes, this.#reading > 1)
      }

      if (parts.length > 1 || blockstore.freshBlocks === true) {
        this.#unshared.add(bytes.buffer)
      }

      return bytes
    } finally {
      this.#reading--
    }
  }

  /**
   * From the store below what fetches. Some stores fail otherwise than with a NotFoundError if a block is missing, as
   * S3Blockstore of blockstore-s3 4.0.1 does (docs/upstream.md): then Helia asks whether it is there.
   */
  async #readLocal (cid: CID, options: Parameters<Store['get']>[1]): Promise<Uint8Array[]> {
    try {
      const parts = await collectParts(this.#local.get(cid, options))

      if (parts.length > 0 || !this.#isNetworked) {
        return parts
      }
    } catch (err) {
      if (!this.#isNetworked || isMissing(err)) {
        throw err
      }
    }

    return collectParts(this.#init.blockstore.get(cid, options))
  }

  /** Fetch a block, unless another call has fetched it and stores it now. */
  async #fetch (cid: CID, options: FetchOptions): Promise<Uint8Array> {
    const { fetcher, scope, storing } = this.#init
    const key = blockKey(cid)
    const earlier = storing.get(key)

    if (earlier != null) {
      return earlier
    }

    // Kubo 0.43 never sends an empty block, and its bytes are known
    const block = key === EMPTY_BLOCK ? { bytes: new Uint8Array(0) } : await fetcher.fetch(cid, scope, options)
    const stored = storing.get(key) ?? this.#store(cid, block).finally(() => { storing.delete(key) })
    storing.set(key, stored)

    return stored
  }

  async #store (cid: CID, { bytes, verified = false, stored = false }: SourceBlock): Promise<Uint8Array> {
    if (!verified) {
      await checkBlock(cid, bytes)
    }

    if (!stored) {
      await this.#init.blockstore.put(cid, bytes)
    }

    return bytes
  }
}
