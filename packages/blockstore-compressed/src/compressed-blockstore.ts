import { callChild, iterateChild } from './util/abort.ts'
import { checkChild, COMPRESSED } from './child.ts'
import { collect } from './util/collect.ts'
import { MAX_PUT_AHEAD } from './constants.ts'
import { BlockTooLargeError } from './errors.ts'
import { headerLength } from './value/envelope.ts'
import { makeValue } from './value/make-value.ts'
import { mapAhead } from './util/map-ahead.ts'
import { BlockCounters } from './metrics.ts'
import { readValue } from './value/read-value.ts'
import { resolveSettings } from './settings.ts'
import { callInTurn, claim } from './writing.ts'
import type { Chunks } from './util/collect.ts'
import type { CompressedBlockstoreInit } from './init.ts'
import type { Value } from './value/make-value.ts'
import type { Settings } from './settings.ts'
import type { Claim } from './writing.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** Options of a call, as the child gets them too. */
type Options = Parameters<Blockstore['has']>[1]

/** A store that has to be opened before use, which not every blockstore is. */
interface Openable {
  open?: (options?: Options) => unknown
  close?: () => unknown
}

/**
 * A blockstore that compresses what it puts into another one, under the same CIDs.
 *
 * A child's errors come through as they are. Once a signal is aborted, its reason is
 * what a call throws, whatever the child makes of it.
 */
export class CompressedBlockstore implements Blockstore {
  readonly [COMPRESSED] = true
  readonly #child: Blockstore & Openable
  readonly #settings: Settings
  readonly #counters: BlockCounters
  readonly #putAhead: number

  /**
   * @param child - the store of the compressed blocks. Blocks that it has already are read
   * @throws {InvalidParametersError}
   * @throws {InvalidLevelError}
   * @throws {UnknownCodecError}
   */
  constructor (child: Blockstore, init: CompressedBlockstoreInit = {}) {
    checkChild(child, ['put', 'putMany', 'get', 'getMany', 'getAll', 'has', 'delete', 'deleteMany'])

    this.#child = child
    this.#settings = resolveSettings(init)
    this.#counters = new BlockCounters(init.metrics)
    this.#putAhead = Math.max(2, Math.min(MAX_PUT_AHEAD, globalThis.navigator?.hardwareConcurrency ?? 2))
  }

  /** The child. */
  unwrap (): Blockstore {
    return this.#child
  }

  /** Open the child, where it is one that is opened. */
  async open (options?: Options): Promise<void> {
    await this.#child.open?.(options)
  }

  /** Close the child, where it is one that is closed. */
  async close (): Promise<void> {
    await this.#child.close?.()
  }

  /**
   * Puts of one block into one child come one after the other, those of other stores
   * around it and of `convert` included.
   *
   * @throws {InvalidParametersError} what is put is neither bytes nor a source of bytes
   * @throws {BlockTooLargeError}
   * @throws {UnknownHashError} `get` could not verify the block: pass its hasher in `hashers`
   * @throws {DigestLengthError} the digest is too short to verify the block
   */
  async put (cid: CID, bytes: Chunks, options?: Options): Promise<CID> {
    const signal = options?.signal
    const value = await this.#makeValue(cid, bytes, signal)
    const stored = await callInTurn(this.#child, cid, value, bytes => this.#child.put(cid, bytes, options), signal)

    this.#countPut(stored.value)

    return stored.result
  }

  /** Blocks are compressed a few ahead of the child, which stores as many at one time as it does by itself. */
  async * putMany (source: Iterable<InputPair> | AsyncIterable<InputPair>, options?: Options): AsyncGenerator<CID> {
    const signal = options?.signal
    const waiting: Claim[] = []

    const pairs = mapAhead(source, async ({ cid, bytes }) => {
      const value = await this.#makeValue(cid, bytes, signal)

      return { cid, value }
    }, { concurrency: this.#putAhead, signal })

    const child = this.#child
    const values = async function * (): AsyncGenerator<InputPair> {
      for await (const { cid, value } of pairs) {
        const claimed = claim(child, cid, value)
        waiting.push(claimed)
        yield { cid, bytes: claimed.value.bytes }
      }
    }

    try {
      for await (const cid of iterateChild(() => child.putMany(values(), options), signal)) {
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
   * The block as one chunk.
   *
   * @throws {CorruptBlockError} what is stored is not the block
   * @throws {BlockTooLargeError}
   * @throws {UnsupportedCodecError}
   * @throws {UnknownHashError} the block has to be verified, and cannot be
   * @throws {DigestLengthError} as above
   */
  async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    yield await this.#read(cid, () => this.#child.get(cid, options), options)
  }

  /** As many at one time as the child gives. Each block is read when its bytes are asked for. */
  async * getMany (source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const { cid, bytes } of iterateChild(() => this.#child.getMany(source, options), options?.signal)) {
      yield { cid, bytes: this.#readPair(cid, bytes, options) }
    }
  }

  /** Every block, under the CID that the child gives it. */
  async * getAll (options?: Options): AsyncGenerator<Pair> {
    for await (const { cid, bytes } of iterateChild(() => this.#child.getAll(options), options?.signal)) {
      yield { cid, bytes: this.#readPair(cid, bytes, options) }
    }
  }

  async has (cid: CID, options?: Options): Promise<boolean> {
    const has = await callChild(() => this.#child.has(cid, options), options?.signal)

    // FsBlockstore answers no when it is aborted
    options?.signal?.throwIfAborted()

    return has
  }

  async delete (cid: CID, options?: Options): Promise<void> {
    await callChild(() => this.#child.delete(cid, options), options?.signal)
  }

  async * deleteMany (source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<CID> {
    yield * iterateChild(() => this.#child.deleteMany(source, options), options?.signal)
  }

  async #makeValue (cid: CID, bytes: Chunks, signal?: AbortSignal | null): Promise<Value> {
    const { maxBlockSize: max } = this.#settings

    signal?.throwIfAborted()
    const block = await collect(bytes, { max, tooLarge: size => new BlockTooLargeError(cid, size, max), reused: true, signal })
    const value = await makeValue(cid, block, this.#settings, signal)
    signal?.throwIfAborted()

    return value
  }

  async * #readPair (cid: CID, bytes: Pair['bytes'], options?: Options): AsyncGenerator<Uint8Array> {
    yield await this.#read(cid, () => bytes, options)
  }

  async #read (cid: CID, get: () => Chunks, options?: Options): Promise<Uint8Array> {
    const { maxBlockSize } = this.#settings
    const signal = options?.signal
    const max = maxBlockSize + headerLength(maxBlockSize)
    const value = await callChild(async () => collect(get(), { max, tooLarge: size => new BlockTooLargeError(cid, size, maxBlockSize), signal }), signal)
    const { bytes, storedAs } = await readValue(cid, value, { ...this.#settings, signal })

    this.#counters.countGet({ storedAs, size: bytes.byteLength, storedSize: value.byteLength })

    return bytes
  }

  #countPut ({ storedAs, size, bytes }: Value): void {
    this.#counters.countPut({ storedAs, size, storedSize: bytes.byteLength })
  }
}
