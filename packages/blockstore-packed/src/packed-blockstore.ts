import { randomBytes } from 'node:crypto'
import { mapOrdered, messageOf } from '@ipfsz/codecs/internal'
import { DeleteFailedError, GetFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CustomProgressEvent } from 'progress-events'
import { collectBlock } from './collect-block.ts'
import {
  BATCH_BLOCKS, BATCH_SIZE, DEFAULT_LEVEL, DEFAULT_MAX_UNUSED, DEFAULT_PACK_SIZE, GROUP_BLOCKS, MAX_PACK_SIZE
} from './constants.ts'
import { codeOf } from './disk/disk.ts'
import { NodeDisk } from './disk/node-disk.ts'
import { compressInPool, encodeWith } from './encode/encode-blocks.ts'
import { StoreClosedError, StoreFailedError } from './errors.ts'
import { keyOf } from './format/key.ts'
import { BlockReader } from './pack/block-reader.ts'
import { PackFiles } from './pack/pack-files.ts'
import { INDEX, LOCKS, PACKS } from './pack/pack-names.ts'
import { Appender, NO_BLOCKS } from './store/appender.ts'
import { choosePacks } from './store/choose-packs.ts'
import { listByKey, listByPack } from './store/list-blocks.ts'
import { Maintenance } from './store/maintenance.ts'
import { repackOne } from './store/repack.ts'
import { countBlocks } from './store/stats.ts'
import { verifyPacks } from './store/verify.ts'
import { View } from './store/view.ts'
import { WriteQueue } from './store/write-queue.ts'
import type { BlockBytes } from './collect-block.ts'
import type {
  BlockLocation, Damage, Durability, GetAllOptions, PackedBlockstoreComponents, PackedBlockstoreInit, PackedOptions,
  RepackOptions, RepackResult, VerifyOptions
} from './contract.ts'
import type { Disk } from './disk/disk.ts'
import type { EncodedBlocks, PlainBlock } from './encode/encode-blocks.ts'
import type { Deletion } from './format/group-header.ts'
import type { StoreStats } from './store/stats.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>

/** Blocks that `getMany` reads ahead. */
const READ_AHEAD = 16
/** How often a block is looked up again because its pack was repacked meanwhile. */
const MAX_LOOKS = 8
/** A smaller pack would be sealed after each block. */
const MIN_PACK_SIZE = 1024
/** Codes of a directory that this process may not write. */
const READ_ONLY: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM'])

/**
 * A blockstore that keeps blocks in packs: CAR files that are compressed with zstd. See docs/packs.md for the bytes.
 *
 * Several processes, and several instances in one, may use a directory at the same time.
 */
export class PackedBlockstore implements Blockstore {
  readonly #disk: Disk
  readonly #files: PackFiles
  readonly #reader: BlockReader
  readonly #view: View
  readonly #appender: Appender
  readonly #queue: WriteQueue
  readonly #maintenance: Maintenance
  readonly #encode: (blocks: PlainBlock[]) => Promise<EncodedBlocks>
  readonly #durability: Durability
  readonly #maxUnused: number
  readonly #packSize: number
  #isOpen = false

  /**
   * @param directory - made if it is missing. On a local file system
   * @throws {RangeError} a number of the init is out of its range
   */
  constructor (directory: string, init: PackedBlockstoreInit = {}, components: PackedBlockstoreComponents = {}) {
    const { durability = 'put', level = DEFAULT_LEVEL, packSize = DEFAULT_PACK_SIZE } = init
    const { disk = new NodeDisk(directory), compress = compressInPool, newId = randomId } = components
    this.#maxUnused = checkRange('maxUnused', init.maxUnused ?? DEFAULT_MAX_UNUSED, 0, 1)
    this.#packSize = checkRange('packSize', packSize, MIN_PACK_SIZE, MAX_PACK_SIZE)
    checkRange('level', level, 1, 19)
    this.#durability = durability
    this.#disk = disk
    this.#files = new PackFiles(disk)
    this.#reader = new BlockReader(this.#files)
    this.#view = new View({ disk, files: this.#files, newId })
    this.#appender = new Appender({ disk, view: this.#view, newId }, packSize)
    this.#maintenance = new Maintenance({ disk, view: this.#view, newId })
    this.#encode = async blocks => encodeWith(compress, level, blocks)
    this.#queue = new WriteQueue(this.#view, this.#appender, this.#encode)
  }

  /** Make the directory if it is missing, and look what is there. */
  async open (): Promise<void> {
    try {
      for (const name of [PACKS, INDEX, LOCKS]) {
        await this.#disk.makeDirectory(name)
      }
    } catch (err) {
      if (!READ_ONLY.has(codeOf(err))) {
        throw err
      }
    }

    await this.#view.lookAgain()
    this.#isOpen = true
  }

  /** Store what was put durably, seal the pack, and release the locks. */
  async close (): Promise<void> {
    if (!this.#isOpen) {
      return
    }

    try {
      await this.sync()
      await this.#queue.turns.run(async () => {
        await this.#appender.seal()
        await this.#tidy()
      })
    } finally {
      this.#isOpen = false
      await this.#appender.close()
      await this.#view.close()
      await this.#files.close()
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
    await this.#writing(async () => this.#queue.commit())
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
    const bytes = await collectBlock(value, signal)
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
      const bytes = await collectBlock(value, signal)
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
   * Append blocks that `encodeBlocks` has compressed, in a worker thread for example. They are appended as they are:
   * pass only blocks that `has` or `locations` does not know, or they take space twice until a repack.
   */
  async putEncoded (encoded: EncodedBlocks): Promise<void> {
    this.#checkOpen()
    await this.#writing(async () => this.#queue.turns.run(async () => this.#appender.append(encoded)))
    await this.#settle()
  }

  /**
   * Read a block. One that another process has deleted a moment ago may still be found; `has` does not find it.
   *
   * @throws {NotFoundError}
   * @throws {GetFailedError} the block is damaged, or its pack cannot be read
   */
  async * get (cid: CID, { signal }: PackedOptions = {}): AsyncGenerator<Uint8Array> {
    this.#checkOpen()
    signal?.throwIfAborted()
    yield await this.#read(cid, signal)
  }

  async * getMany (source: Source<CID>, { signal }: PackedOptions = {}): AsyncGenerator<Pair> {
    this.#checkOpen()
    const read = async (cid: CID): Promise<{ cid: CID, bytes: Uint8Array }> =>
      ({ cid, bytes: await this.#read(cid, signal) })

    for await (const { cid, bytes } of mapOrdered(source, read, { concurrency: READ_AHEAD, signal })) {
      yield { cid, bytes: once(bytes) }
    }
  }

  async has (cid: CID, { signal }: PackedOptions = {}): Promise<boolean> {
    this.#checkOpen()
    signal?.throwIfAborted()
    const key = keyOf(cid.multihash)

    if (this.#queue.get(key) != null) {
      return true
    }

    await this.#view.refresh()
    signal?.throwIfAborted()

    return (await this.#view.find(key)).length > 0
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
    const blocks = order === 'packs' ? listByPack(this.#view, this.#files) : listByKey(this.#view, this.#reader)

    for await (const { cid } of blocks) {
      signal?.throwIfAborted()
      yield { cid, bytes: this.get(cid, { signal }) }
    }
  }

  /**
   * Where blocks are, in the order in which reading them is fastest. Blocks that are not here are left out.
   *
   * @param cids - some thousands at a time
   */
  async locations (cids: Iterable<CID>, { signal }: PackedOptions = {}): Promise<BlockLocation[]> {
    this.#checkOpen()
    await this.#prepare()
    const found: BlockLocation[] = []

    for (const cid of cids) {
      signal?.throwIfAborted()
      const [row] = await this.#view.find(keyOf(cid.multihash))

      if (row != null) {
        found.push({ cid, pack: row.pack, offset: row.frame, size: row.length })
      }
    }

    return found.toSorted((a, b) => a.pack === b.pack ? a.offset - b.offset : a.pack < b.pack ? -1 : 1)
  }

  /** Count packs, blocks, and bytes that live, by one pass over the index. */
  async stats ({ signal }: PackedOptions = {}): Promise<StoreStats> {
    this.#checkOpen()
    await this.#prepare()

    return countBlocks(this.#view, signal)
  }

  /**
   * Free the space of deleted blocks: copy what lives in packs of which most is unused, and remove them, until at most
   * `maxUnused` of all bytes is unused. Needs the space of what lives in one pack. It may be aborted or killed at any
   * time.
   */
  async repack ({ signal, onProgress, maxUnused = this.#maxUnused }: RepackOptions = {}): Promise<RepackResult> {
    this.#checkOpen()
    // only sealed packs are rewritten, and the own one may have much that is unused
    await this.#queue.turns.run(async () => this.#appender.seal())
    // nobody announces that a pack is sealed
    await this.#view.lookAgain()
    const before = await this.stats({ signal })
    const chosen = choosePacks(before, maxUnused, this.#packSize)
    const result: RepackResult = { packs: 0, blocks: 0, before: before.size, after: before.size, damaged: [] }

    for (const [i, id] of chosen.entries()) {
      const { blocks, damaged, isRemoved } = await this.#repackOne(id, signal)
      result.packs += isRemoved ? 1 : 0
      result.blocks += blocks
      result.damaged.push(...damaged)
      onProgress?.(new CustomProgressEvent('ipfsz:repack:pack', {
        packs: i + 1, total: chosen.length, blocks: result.blocks
      }))
    }

    await this.#queue.turns.run(async () => {
      await this.#appender.seal()
      await this.#tidy()
    })
    result.after = (await this.stats({ signal })).size

    return result
  }

  /**
   * Read and hash all blocks, and yield what is damaged. To repair a block: `delete` it, then `put` it again.
   */
  async * verify (options: VerifyOptions = {}): AsyncGenerator<Damage> {
    this.#checkOpen()
    await this.#prepare()
    yield * verifyPacks({ view: this.#view, files: this.#files, reader: this.#reader }, options)
  }

  /** Make the index anew from the packs. */
  async rebuildIndex ({ signal }: PackedOptions = {}): Promise<void> {
    this.#checkOpen()
    await this.#maintenance.exclusively(async () => this.#maintenance.rebuildIndex(), signal)
  }

  async #add (cid: CID, bytes: Uint8Array, isCallers: boolean): Promise<void> {
    if (this.#queue.isFull) {
      await this.#writing(async () => this.#queue.flush())
    }

    // who calls may use the memory again when the put has resolved, which is before it is written
    const block = isCallers && this.#durability === 'sync' ? Uint8Array.from(bytes) : bytes
    this.#queue.add(keyOf(cid.multihash), { cid, bytes: block })
  }

  async #settle (): Promise<void> {
    if (this.#durability === 'put') {
      await this.sync()
    }
  }

  /** Write what is in memory, and look what others did. */
  async #prepare (): Promise<void> {
    await this.#writing(async () => this.#queue.flush())
    await this.#view.refresh()
  }

  async #read (cid: CID, signal?: AbortSignal | null): Promise<Uint8Array> {
    const key = keyOf(cid.multihash)
    const { bytes: multihash } = cid.multihash
    let cause: unknown

    for (let look = 0; look < MAX_LOOKS; look++) {
      const pending = this.#queue.get(key)

      if (pending != null) {
        return pending
      }

      let isGone = false

      for (const row of await this.#view.find(key)) {
        signal?.throwIfAborted()

        try {
          return await this.#reader.read(row, multihash)
        } catch (err) {
          // repacked: the block is in another pack now
          isGone ||= codeOf(err) === 'ENOENT'
          cause = err
        }
      }

      signal?.throwIfAborted()

      if (isGone) {
        await this.#view.lookAgain()
      } else if (cause != null || this.#view.isFresh()) {
        break
      } else {
        await this.#view.refresh()
      }
    }

    // the block may be in a pack that cannot be read
    cause ??= this.#view.errors.values().next().value

    throw cause == null || codeOf(cause) === 'ENOENT'
      ? new NotFoundError(`The block ${cid} was not found`)
      : withCause(new GetFailedError(`Could not read the block ${cid}: ${messageOf(cause)}`), cause)
  }

  async #deleteBatch (cids: readonly CID[], signal?: AbortSignal | null): Promise<void> {
    signal?.throwIfAborted()

    if (cids.length === 0) {
      return
    }

    try {
      await this.#queue.turns.run(async () => {
        await this.#queue.flushInTurn()
        await this.#maintenance.exclusively(async () => this.#deleteNow(cids), signal)
      })
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof StoreFailedError
        ? cause
        : withCause(new DeleteFailedError(`Could not delete ${cids.length} blocks: ${messageOf(cause)}`), cause)
    }
  }

  async #deleteNow (cids: readonly CID[]): Promise<void> {
    let deletions: Deletion[] = []

    for (const cid of cids) {
      const key = keyOf(cid.multihash)

      for (const { pack, frame, start } of await this.#view.find(key)) {
        deletions.push({ pack, frame, start, key })
      }

      if (deletions.length >= GROUP_BLOCKS) {
        await this.#appender.append(NO_BLOCKS, deletions)
        deletions = []
      }
    }

    if (deletions.length > 0) {
      await this.#appender.append(NO_BLOCKS, deletions)
    }

    await this.#appender.sync()
  }

  async #repackOne (id: string, signal?: AbortSignal | null): ReturnType<typeof repackOne> {
    const components = {
      disk: this.#disk,
      view: this.#view,
      files: this.#files,
      reader: this.#reader,
      appender: this.#appender,
      encode: this.#encode
    }

    return this.#queue.turns.run(async () => this.#maintenance.exclusively(async () => {
      const state = this.#view.packs.get(id)

      // another process was faster, or is still writing it
      return state == null || !state.isSealed
        ? { blocks: 0, damaged: [], isRemoved: false }
        : repackOne(components, id)
    }, signal))
  }

  async #tidy (): Promise<void> {
    try {
      await this.#maintenance.tidy()
    } catch {
      // on a full disk, for example: nothing depends on it
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

function randomId (): string {
  return randomBytes(16).toString('hex')
}

function checkRange (name: string, value: number, min: number, max: number): number {
  if (!(value >= min && value <= max)) {
    throw new RangeError(`${name} must be ${min} to ${max}, not ${value}`)
  }

  return value
}

function withCause (err: Error, cause: unknown): Error {
  return Object.assign(err, { cause })
}

async function * once (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
