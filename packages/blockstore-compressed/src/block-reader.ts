import { blockFileReader } from '@ipfsz/utils/block-file-reader'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { collectStored, maxStoredSize } from './stored-value.ts'
import { readStored, readValue } from './value/read-value.ts'
import type { InnerStore } from './check-inner.ts'
import type { BlockCounters } from './metrics.ts'
import type { StoredValue } from './stored-value.ts'
import type { Chunks } from './util/collect-block.ts'
import type { StoredBlock } from './value/read-value.ts'
import type { Settings } from './value/settings.ts'
import type { CID } from 'multiformats/cid'

interface ReadOptions {
  signal?: AbortSignal | null | undefined
}

/** Reads values of the inner store, and decodes them. */
export class BlockReader {
  readonly #inner: InnerStore
  readonly #settings: Settings
  readonly #counters: BlockCounters
  /** Reads around the inner store. Only the hash tells whether that is the block. */
  readonly #readFile: ReturnType<typeof blockFileReader<CID>>
  /** How many blocks are read now. */
  #reading = 0

  constructor (inner: InnerStore, settings: Settings, counters: BlockCounters) {
    this.#inner = inner
    this.#settings = settings
    this.#counters = counters
    this.#readFile = settings.verify === 'hash' ? blockFileReader(inner) : undefined
  }

  /** @param get - reads the value of the inner store */
  async read (cid: CID, get: () => Chunks, options: ReadOptions = {}): Promise<Uint8Array> {
    this.#reading++

    try {
      return await this.#readFromFile(cid, options) ??
        await this.#decode(cid, await this.#collect(cid, get, options), options)
    } finally {
      this.#reading--
    }
  }

  async readStored (cid: CID, get: () => Chunks, options: ReadOptions = {}): Promise<StoredBlock> {
    const { bytes: value } = await this.#collect(cid, get, options)
    const stored = await readStored(cid, value, { ...this.#settings, signal: options.signal })

    this.#counters.countGet({ storedAs: stored.codec, size: stored.size, storedSize: value.byteLength })

    return stored
  }

  /** @returns undefined if its file is not the block: the inner store says what is wrong */
  async #readFromFile (cid: CID, { signal }: ReadOptions): Promise<Uint8Array | undefined> {
    const bytes = await this.#readFile?.(cid, { max: maxStoredSize(this.#settings), signal })

    try {
      return bytes == null ? undefined : await this.#decode(cid, { bytes, isOwn: true }, { signal })
    } catch {
      return undefined
    }
  }

  async #decode (cid: CID, { bytes: value, isOwn }: StoredValue, { signal }: ReadOptions): Promise<Uint8Array> {
    const storedSize = value.byteLength
    const { bytes, storedAs } = await readValue(cid, value, { ...this.#settings, isBusy: this.#reading > 1, signal })
    this.#counters.countGet({ storedAs, size: bytes.byteLength, storedSize })

    if (isOwn && bytes.buffer !== value.buffer) {
      freeBytes(value)
    }

    return bytes
  }

  async #collect (cid: CID, get: () => Chunks, { signal }: ReadOptions): Promise<StoredValue> {
    const { maxBlockSize } = this.#settings

    return collectStored(cid, get, { maxBlockSize, isFresh: this.#inner.freshBlocks === true, signal })
  }
}
