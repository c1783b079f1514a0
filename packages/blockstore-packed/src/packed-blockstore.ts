// Not split: all methods of the interface are here, mostly documentation, and each makes one call to store/.
import { collectBlock } from '@ipfsz/utils/collect-block'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { fullDiskError, noteNeededBytes } from '@ipfsz/utils/system-error'
import { DeleteFailedError, PutFailedError } from 'interface-store'
import {
  BATCH_BLOCKS, BATCH_SIZE, DEFAULT_LEVEL, DEFAULT_MAX_UNUSED, DEFAULT_PACK_SIZE, GROUP_BLOCKS, MAX_BLOCK_SIZE,
  MAX_PACK_SIZE
} from './constants.ts'
import { NodeDisk } from './disk/node-disk.ts'
import { BlockTooLargeError, StoreClosedError, StoreFailedError } from './errors.ts'
import { comparePlaces } from './format/entry.ts'
import { keyOf } from './format/key.ts'
import { deletePlaces } from './store/delete-places.ts'
import { listByKey, listByPack } from './store/list-blocks.ts'
import { lookUp } from './store/look-up.ts'
import { readBlock, readMany, readEach } from './store/read-block.ts'
import { removeUnused } from './store/remove-unused.ts'
import { repackStore } from './store/repack-store.ts'
import { countBlocks } from './store/stats.ts'
import { sealOwnPack } from './store/seal-own-pack.ts'
import { makeParts } from './store/store-parts.ts'
import { verifyPacks } from './store/verify.ts'
import { withCause } from './store/with-cause.ts'
import type {
  BlockLocation, BlockSize, Damage, Durability, GetAllOptions, HasManyOptions, PackedBlockstoreComponents,
  PackedBlockstoreInit, PackedOptions, RemovedPacks, RepackOptions, RepackResult, VerifyOptions
} from './contract.ts'
import type { EncodedBlocks } from './encode/encode-blocks.ts'
import type { StoreStats } from './store/stats.ts'
import type { StoreParts } from './store/store-parts.ts'
import type { BlockBytes } from '@ipfsz/utils/collect-block'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>

/** The largest block. */
const LARGEST = { max: MAX_BLOCK_SIZE, tooLarge: (size: number) => new BlockTooLargeError(size, MAX_BLOCK_SIZE) }

/** Blocks that `getMany` reads ahead. */
const READ_AHEAD = 16
/** A smaller pack would be sealed after each block. */
const MIN_PACK_SIZE = 1024

/**
 * A blockstore that keeps blocks in packs: CAR files that are compressed with zstd. See docs/packs.md for the bytes.
 *
 * Several processes, and several instances in one, may use a directory at the same time.
 */
export class PackedBlockstore implements Blockstore {
  readonly #parts: StoreParts
  readonly #durability: Durability
  readonly #maxUnused: number
  #isOpen = false

  /**
   * @param directory - made by the first write if it is missing. On a local file system
   * @throws {RangeError} a number of the init is out of its range
   */
  constructor (directory: string, init: PackedBlockstoreInit = {}, components: PackedBlockstoreComponents = {}) {
    const { durability = 'put', level = DEFAULT_LEVEL, packSize = DEFAULT_PACK_SIZE, verify = true } = init
    this.#maxUnused = checkRange('maxUnused', init.maxUnused ?? DEFAULT_MAX_UNUSED, 0, 1)
    checkRange('packSize', packSize, MIN_PACK_SIZE, MAX_PACK_SIZE)
    checkRange('level', level, 1, 19)
    this.#durability = durability
    const { disk = new NodeDisk(directory) } = components
    this.#parts = makeParts({ ...components, disk, level, packSize, verify })
  }

  /** Allow calls. The directory is looked at when something is read, and made when something is written. */
  async open (): Promise<void> {
    this.#isOpen = true
  }

  /** Store what was put durably, seal the pack, and release the locks. */
  async close (): Promise<void> {
    if (!this.#isOpen) {
      return
    }

    try {
      await this.sync()

      // a process that only reads takes no lock, and makes no file
      if (this.#parts.appender.isWriting) {
        await this.#parts.queue.turns.run(async () => sealOwnPack(this.#parts))
      }
    } finally {
      this.#isOpen = false
      await this.#parts.appender.close()
      await this.#parts.view.close()
      this.#parts.reader.close()
    }
  }

  /**
   * Resolves when everything that was put survives a loss of power.
   *
   * @throws {PutFailedError}
   * @throws {StoreFailedError}
   */
  async sync (): Promise<void> {
    this.#checkOpen()

    try {
      await this.#writing(async () => this.#parts.queue.commit())
    } catch (err) {
      if (err instanceof Error && fullDiskError(err) != null) {
        // whoever syncs has put all that there is
        noteNeededBytes(err, this.#parts.queue.bytes)
      }

      throw err
    }
  }

  /** Write what is in memory to a pack, so that other processes find it. It may be lost until `sync`. */
  async flush (): Promise<void> {
    this.#checkOpen()
    await this.#writing(async () => this.#parts.queue.flush())
  }

  /** Include a stored block in the next `sync`, even if another process has put it. Nothing if it is not stored. */
  async syncLater (cid: CID): Promise<void> {
    this.#checkOpen()
    const { queue, view } = this.#parts
    const key = keyOf(cid.multihash)

    if (queue.get(key) != null) {
      return
    }

    await view.refreshToWrite()

    if (!await view.hasDurable(key) && (await view.find(key)).length > 0) {
      await this.#add(cid, await readBlock(this.#parts, cid), false)
    }
  }

  /**
   * Store a block. One that is there is not written again.
   *
   * @throws {PutFailedError}
   * @throws {BlockTooLargeError}
   * @throws {StoreFailedError}
   */
  async put (cid: CID, value: BlockBytes, { signal }: PackedOptions = {}): Promise<CID> {
    this.#checkOpen()
    signal?.throwIfAborted()
    const bytes = await collectBlock(value, { ...LARGEST, signal })
    signal?.throwIfAborted()
    await this.#add(cid, bytes, bytes === value)

    if (this.#durability === 'put') {
      await this.sync()
    }

    return cid
  }

  /** Store blocks, up to 16 MiB with one sync. Yields their CIDs when they are stored. */
  async * putMany (source: Source<InputPair>, { signal }: PackedOptions = {}): AsyncGenerator<CID> {
    this.#checkOpen()
    let batch: CID[] = []
    let size = 0

    for await (const { cid, bytes: value } of source) {
      signal?.throwIfAborted()
      const bytes = await collectBlock(value, { ...LARGEST, signal })
      await this.#add(cid, bytes, bytes === value)
      batch.push(cid)
      size += bytes.byteLength

      if (this.#durability === 'sync' || size >= BATCH_SIZE || batch.length >= BATCH_BLOCKS) {
        await this.#settle()
        yield * batch
        batch = []
        size = 0
      }
    }

    signal?.throwIfAborted()
    await this.#settle()
    yield * batch
  }

  /**
   * Append blocks that `encodeBlocks` of `@ipfsz/blockstore-packed/encode` has compressed, in a worker thread for
   * example. They are appended as they are: pass only blocks that `hasMany` with `durable` does not know, or they take
   * space twice until a repack.
   */
  async putEncoded (encoded: EncodedBlocks): Promise<void> {
    this.#checkOpen()
    await this.#writing(async () => this.#parts.queue.turns.run(async () => this.#parts.appender.append(encoded)))
    await this.#settle()
  }

  /**
   * Read a block. One that another process has deleted a moment ago may still be found; `has` does not find it. The
   * memory is the caller's.
   *
   * @throws {NotFoundError}
   * @throws {GetFailedError} the block is damaged in each place that it has, or its pack cannot be read
   */
  async * get (cid: CID, { signal }: PackedOptions = {}): AsyncGenerator<Uint8Array> {
    this.#checkOpen()
    signal?.throwIfAborted()
    yield await readBlock(this.#parts, cid, signal)
  }

  /**
   * Read blocks, in the order of the source. Those of an array are read in the order of the packs, some megabytes at a
   * time; those of another source 16 at a time.
   *
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  async * getMany (source: Source<CID>, { signal }: PackedOptions = {}): AsyncGenerator<Pair> {
    this.#checkOpen()
    const blocks = Array.isArray(source)
      ? readMany(this.#parts, source as CID[], signal)
      : mapOrdered(source, async cid => ({ cid, bytes: await readBlock(this.#parts, cid, signal) }), {
        concurrency: READ_AHEAD, signal
      })

    for await (const { cid, bytes } of blocks) {
      yield { cid, bytes: once(bytes) }
    }
  }

  /**
   * Read blocks in the order of the packs, each frame once. What is not here or cannot be read is left out.
   *
   * @param cids - some hundreds at a time
   * @param use - called with each block and its place among the CIDs. The memory is used again once it has returned
   */
  async readEach (
    cids: readonly CID[],
    use: (bytes: Uint8Array, index: number) => void,
    { signal }: PackedOptions = {}
  ): Promise<void> {
    this.#checkOpen()
    signal?.throwIfAborted()

    await readEach(this.#parts, cids, use, signal)
  }

  async has (cid: CID, options?: PackedOptions): Promise<boolean> {
    const [has] = await this.hasMany([cid], options)

    return has
  }

  /** Whether blocks are here: the same as `has` for each, with one look at what other processes did. */
  async hasMany (cids: Iterable<CID>, { durable = false, signal }: HasManyOptions = {}): Promise<boolean[]> {
    this.#checkOpen()
    signal?.throwIfAborted()
    const { queue, view, breaks } = this.#parts
    await (durable ? view.refreshToWrite() : view.refresh())

    return lookUp(Array.from(cids, ({ multihash }) => keyOf(multihash)), key => {
      signal?.throwIfAborted()

      return queue.get(key) != null || (durable ? view.hasDurable(key) : view.has(key))
    }, breaks)
  }

  /** @throws {DeleteFailedError} */
  async delete (cid: CID, options: PackedOptions = {}): Promise<void> {
    this.#checkOpen()
    await this.#deleteBatch([cid], options.signal)
  }

  /** Delete blocks, thousands with one sync. They take space until `repack`. */
  async * deleteMany (source: Source<CID>, { signal }: PackedOptions = {}): AsyncGenerator<CID> {
    this.#checkOpen()
    let batch: CID[] = []

    for await (const cid of source) {
      signal?.throwIfAborted()
      batch.push(cid)

      if (batch.length >= GROUP_BLOCKS) {
        await this.#deleteBatch(batch, signal)
        yield * batch
        batch = []
      }
    }

    await this.#deleteBatch(batch, signal)
    yield * batch
  }

  /** List all blocks. Reading one that is deleted meanwhile throws NotFoundError. */
  async * getAll ({ signal, order = 'index' }: GetAllOptions = {}): AsyncGenerator<Pair> {
    this.#checkOpen()
    signal?.throwIfAborted()
    await this.#prepare()
    const { view, files, reader } = this.#parts
    const blocks = order === 'packs' ? listByPack(view, files) : listByKey(view, reader)

    for await (const { cid } of blocks) {
      signal?.throwIfAborted()
      yield { cid, bytes: this.get(cid, { signal }) }
    }
  }

  /**
   * List all blocks by hash, with their sizes in bytes, from the index alone: as `getAll`, many at a time. To delete
   * them meanwhile is fine.
   */
  async * list ({ signal }: PackedOptions = {}): AsyncGenerator<BlockSize[]> {
    this.#checkOpen()
    await this.#prepare()
    const { view, reader } = this.#parts
    let batch: BlockSize[] = []

    for await (const { cid: { multihash }, row } of listByKey(view, reader)) {
      signal?.throwIfAborted()
      batch.push({ multihash, size: row.length })

      if (batch.length >= GROUP_BLOCKS) {
        yield batch
        batch = []
      }
    }

    yield batch
  }

  /**
   * Where blocks are, in the order in which reading them is fastest. Blocks that are not here are left out.
   *
   * @param cids - some thousands at a time
   */
  async locations (cids: Iterable<CID>, { signal }: PackedOptions = {}): Promise<BlockLocation[]> {
    this.#checkOpen()
    await this.#prepare()
    const { view, breaks } = this.#parts
    const wanted = Array.from(cids)
    const found = await lookUp(wanted.map(({ multihash }) => keyOf(multihash)), key => {
      signal?.throwIfAborted()

      return view.find(key)
    }, breaks)

    return wanted.flatMap((cid, i) => found[i].length === 0 ? [] : [{ cid, row: found[i][0] }])
      .toSorted((a, b) => comparePlaces(a.row, b.row))
      .map(({ cid, row: { pack, frame, length } }) => ({ cid, pack, offset: frame, size: length }))
  }

  /** Count packs, blocks, and bytes that live, by one pass over the index. */
  async stats ({ signal }: PackedOptions = {}): Promise<StoreStats> {
    this.#checkOpen()
    await this.#prepare()

    return countBlocks(this.#parts.view, signal)
  }

  /**
   * Free the space of deleted blocks: copy what lives in packs of which most is unused, and remove them, until at most
   * `maxUnused` of all bytes is unused. Needs the space of what lives in one pack. It may be aborted or killed at any
   * time.
   */
  async repack ({ signal, onProgress, maxUnused = this.#maxUnused }: RepackOptions = {}): Promise<RepackResult> {
    this.#checkOpen()

    return repackStore(this.#parts, { signal, onProgress, maxUnused })
  }

  /**
   * Delete the blocks of all packs in which none is kept, with the packs. It needs no free space, unlike `delete` and
   * `repack`. Packs that processes write, and damaged ones, stay.
   *
   * @param isKept - whether the block with a multihash stays
   */
  async removeUnused (
    isKept: (multihash: Uint8Array) => boolean,
    { signal }: PackedOptions = {}
  ): Promise<RemovedPacks> {
    this.#checkOpen()

    return removeUnused(this.#parts, isKept, signal)
  }

  /**
   * Read and hash all blocks, and yield what is damaged. To repair a block: `delete` it, then `put` it again.
   */
  async * verify (options: VerifyOptions = {}): AsyncGenerator<Damage> {
    this.#checkOpen()
    await this.#prepare()
    yield * verifyPacks(this.#parts, options)
  }

  /** Rebuild the index from the packs. */
  async rebuildIndex ({ signal }: PackedOptions = {}): Promise<void> {
    this.#checkOpen()
    await this.#parts.maintenance.exclusively(async () => this.#parts.maintenance.rebuildIndex(), signal)
  }

  async #add (cid: CID, bytes: Uint8Array, isCallers: boolean): Promise<void> {
    if (this.#parts.queue.isFull) {
      await this.#writing(async () => this.#parts.queue.flush())
    }

    // who calls may use the memory again when the put has resolved, which is before it is written
    const block = isCallers && this.#durability === 'sync' ? Uint8Array.from(bytes) : bytes
    this.#parts.queue.add(keyOf(cid.multihash), { cid, bytes: block })
  }

  async #settle (): Promise<void> {
    if (this.#durability === 'put') {
      await this.sync()
    }
  }

  /** Write what is in memory, and look what others did. */
  async #prepare (): Promise<void> {
    await this.#writing(async () => this.#parts.queue.flush())
    await this.#parts.view.refresh()
  }

  async #deleteBatch (cids: readonly CID[], signal?: AbortSignal | null): Promise<void> {
    signal?.throwIfAborted()

    if (cids.length === 0) {
      return
    }

    try {
      await this.#parts.queue.turns.run(async () => {
        await this.#parts.queue.flushInTurn()
        await this.#parts.maintenance.exclusively(async () => deletePlaces(this.#parts, cids), signal)
      })
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof StoreFailedError
        ? cause
        : withCause(new DeleteFailedError(`Could not delete ${cids.length} blocks: ${messageOf(cause)}`), cause)
    }
  }

  async #writing (work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      throw cause instanceof StoreFailedError
        ? cause
        : withCause(new PutFailedError(`Could not write blocks: ${messageOf(cause)}`), cause)
    }
  }

  #checkOpen (): void {
    if (!this.#isOpen) {
      throw new StoreClosedError()
    }
  }
}

function checkRange (name: string, value: number, min: number, max: number): number {
  if (!(value >= min && value <= max)) {
    throw new RangeError(`${name} must be ${min} to ${max}, not ${value}`)
  }

  return value
}

async function * once (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
