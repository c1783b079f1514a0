import { mapOrdered, settle, unwrap } from '@ipfsz/utils/map-ordered'
import { callInner, iterateInner } from './util/call-inner.ts'
import { checkInner, COMPRESSED } from './check-inner.ts'
import { MAX_AHEAD } from './constants.ts'
import { BlockReader } from './block-reader.ts'
import { makeValue } from './value/make-value.ts'
import { BlockCounters } from './metrics.ts'
import { resolveSettings } from './value/settings.ts'
import { callExclusive, claimWrite } from './block-writes.ts'
import { collectNew } from './stored-value.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { Chunks } from './util/collect-block.ts'
import type { CompressedBlockstoreInit, WithCodecs } from './init.ts'
import type { Value } from './value/make-value.ts'
import type { StoredBlock } from './value/read-value.ts'
import type { Settings } from './value/settings.ts'
import type { Claim } from './block-writes.ts'
import type { InnerStore } from './check-inner.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** Options of a call. The inner store gets them too. */
type Options = Parameters<Blockstore['has']>[1]

/**
 * Compresses blocks before it puts them into an inner blockstore, and decompresses them on
 * the way out. CIDs stay the same.
 *
 * Errors of the inner store pass through unchanged, except that an aborted call always
 * throws the reason of its signal.
 */
export class CompressedBlockstore implements Blockstore {
  readonly [COMPRESSED] = true
  readonly #inner: InnerStore
  readonly #settings: Settings
  readonly #counters: BlockCounters
  readonly #reader: BlockReader
  readonly #ahead: number

  /**
   * @param inner - stores the compressed blocks. Blocks that it has already stay readable
   * @throws {InvalidParametersError}
   * @throws {InvalidLevelError}
   * @throws {UnknownCodecError}
   */
  constructor (inner: Blockstore, init: WithCodecs<CompressedBlockstoreInit>) {
    checkInner(inner, ['put', 'putMany', 'get', 'getMany', 'getAll', 'has', 'delete', 'deleteMany'])

    this.#inner = inner
    this.#settings = resolveSettings(init)
    this.#counters = new BlockCounters(init.metrics)
    this.#reader = new BlockReader(inner, this.#settings, this.#counters)
    this.#ahead = Math.max(2, Math.min(MAX_AHEAD, globalThis.navigator?.hardwareConcurrency ?? 2))
  }

  /** Whether every block is compared with its CID before it is returned: its readers need not do that again. */
  get checksBlocks (): boolean {
    return this.#settings.verify === 'hash'
  }

  /** Whether each block that it returns is in memory of its own, so that its reader may free it. */
  get freshBlocks (): boolean {
    return this.#inner.freshBlocks === true
  }

  /** Whether nothing refers to the memory of a block any more once its `put` has resolved. */
  get releasesBlocks (): boolean {
    return this.#inner.releasesBlocks === true
  }

  /** The inner store. */
  unwrap (): Blockstore {
    return this.#inner
  }

  /** Open the inner store, if it has to be opened. */
  async open (options?: Options): Promise<void> {
    await this.#inner.open?.(options)
  }

  /** Close the inner store, if it can be closed. */
  async close (): Promise<void> {
    await this.#inner.close?.()
  }

  /**
   * Compress and store a block. Writes of the same block into the same inner store run one
   * after another, including those of `convert` and of other CompressedBlockstores around it.
   *
   * @throws {InvalidParametersError} `bytes` is neither bytes nor an iterable of bytes
   * @throws {BlockTooLargeError}
   * @throws {UnknownHashError} `get` could not verify the block: pass its hasher in `hashers`
   * @throws {DigestLengthError} the digest is too short to verify the block
   */
  async put (cid: CID, bytes: Chunks, options?: Options): Promise<CID> {
    const signal = options?.signal
    const value = await this.#makeValue(cid, bytes, signal)
    const inner = this.#inner
    const stored = await callExclusive(inner, { cid, value }, bytes => inner.put(cid, bytes, options), signal)
    this.#countPut(stored.value)

    return stored.result
  }

  /** Compresses a few blocks ahead of the inner store, which decides how many it writes at a time. */
  async * putMany (source: Iterable<InputPair> | AsyncIterable<InputPair>, options?: Options): AsyncGenerator<CID> {
    const signal = options?.signal
    const waiting: Claim[] = []

    const pairs = mapOrdered(source, async ({ cid, bytes }) => ({
      cid,
      value: await this.#makeValue(cid, bytes, signal)
    }), { concurrency: this.#ahead, signal })

    const inner = this.#inner
    const values = async function * (): AsyncGenerator<InputPair> {
      for await (const { cid, value } of pairs) {
        const claimed = claimWrite(inner, cid, value)
        waiting.push(claimed)
        yield { cid, bytes: claimed.value.bytes }
      }
    }

    try {
      for await (const cid of iterateInner(() => inner.putMany(values(), options), signal)) {
        const claimed = waiting.shift()

        if (claimed != null) {
          claimed.release()
          this.#countPut(claimed.value)
        }

        yield cid
      }
    } finally {
      for (const claimed of waiting) {
        claimed.release()
      }
    }
  }

  /**
   * Yields the block as one chunk.
   *
   * @throws {CorruptBlockError} the stored bytes are not the block
   * @throws {BlockTooLargeError}
   * @throws {UnsupportedCodecError}
   * @throws {UnknownHashError} the block has to be verified, and cannot be
   * @throws {DigestLengthError} as above
   */
  async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    yield await this.#reader.read(cid, () => this.#inner.get(cid, options), options)
  }

  /**
   * Get a block as it is stored, without decompressing it: for a server whose clients decompress
   * it themselves. A compressed payload is not compared with the CID, since only the block can be.
   *
   * @throws the errors of `get`
   */
  async getStored (cid: CID, options?: Options): Promise<StoredBlock> {
    return this.#reader.readStored(cid, () => this.#inner.get(cid, options), options)
  }

  /** Reads and decompresses a few blocks ahead. If one cannot be read, reading its `bytes` throws. */
  async * getMany (source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair> {
    const signal = options?.signal
    const pairs = iterateInner(() => this.#inner.getMany(source, options), signal)

    const blocks = mapOrdered(pairs, async ({ cid, bytes }) => ({
      cid,
      block: await settle(async () => this.#reader.read(cid, () => bytes, options), undefined)
    }), { concurrency: this.#ahead, signal })

    for await (const { cid, block } of blocks) {
      yield { cid, bytes: oneChunk(block) }
    }
  }

  /** Yields every block, under the CID that the inner store lists it with. */
  async * getAll (options?: Options): AsyncGenerator<Pair> {
    for await (const { cid, bytes } of iterateInner(() => this.#inner.getAll(options), options?.signal)) {
      yield { cid, bytes: this.#readPair(cid, bytes, options) }
    }
  }

  async has (cid: CID, options?: Options): Promise<boolean> {
    const has = await callInner(() => this.#inner.has(cid, options), options?.signal)

    // FsBlockstore answers false if it is aborted
    options?.signal?.throwIfAborted()

    return has
  }

  async delete (cid: CID, options?: Options): Promise<void> {
    await callInner(() => this.#inner.delete(cid, options), options?.signal)
  }

  async * deleteMany (source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<CID> {
    yield * iterateInner(() => this.#inner.deleteMany(source, options), options?.signal)
  }

  async #makeValue (cid: CID, bytes: Chunks, signal?: AbortSignal | null): Promise<Value> {
    signal?.throwIfAborted()
    const block = await collectNew(cid, bytes, this.#settings.maxBlockSize, signal)
    const value = await makeValue(cid, block, this.#settings, signal)
    signal?.throwIfAborted()

    return value
  }

  async * #readPair (cid: CID, bytes: Pair['bytes'], options?: Options): AsyncGenerator<Uint8Array> {
    yield await this.#reader.read(cid, () => bytes, options)
  }

  #countPut ({ storedAs, size, bytes }: Value): void {
    this.#counters.countPut({ storedAs, size, storedSize: bytes.byteLength })
  }
}

async function * oneChunk (block: Settled<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield unwrap(block)
}
