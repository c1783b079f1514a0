import { isMarked, notUnixFS, unmark } from '@ipfsz/core'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { identity } from 'multiformats/hashes/identity'
import { walkDag } from '../dag/dag-walk.ts'
import { isDagPb, isLeaf } from '../dag/reached.ts'
import { NotPinnedError, PinRecordError, RepoError } from '../errors.ts'
import { countKey, metadataOf, pinKey, readPin, readPinnedBlock, readPins } from './pin-records.ts'
import { putRecords } from './put-records.ts'
import { uncount, unpinShared } from './unpin.ts'
import type { Reached } from '../dag/reached.ts'
import type { Pin, PinnedBlock } from './pin-records.ts'
import type { Repo } from './repo.ts'
import type { CID } from 'multiformats/cid'

/** How many pins are looked up at a time, for what was pinned before. */
const CONCURRENCY = 16

export interface NewPin {
  cid: CID
  name?: string
  /**
   * How many levels below the root to keep.
   *
   * @default all
   */
  depth?: number
}

export interface CheckOptions {
  /** Blocks that were checked before, which are not checked again. */
  reached?: Reached
  /** Called with the number of blocks that were checked since the last call. */
  onBlocks?: (blocks: number) => void
  /**
   * Whether to read leaves too. Without it they only have to be there: enough for what was checked before.
   *
   * @default 'read'
   */
  leaves?: 'read' | 'has'
}

/**
 * The pins of a repo, in Helia's format: a pin is for the plain CID, with the marked CID in its metadata.
 *
 * Helia counts for every block how many pins are above it. It keeps a file for each block, reads and writes them one
 * by one, and loses counts when two processes write. So RepoPins counts only the root of each pin, and `ipfsz gc`
 * walks from the pins to find the blocks below. It also walks the pins that Helia itself made.
 *
 * Reads and writes the records without Helia: loading it takes longer than adding a small file. Pinning again replaces
 * a damaged record.
 */
export class RepoPins {
  readonly #repo: Repo

  constructor (repo: Repo) {
    this.#repo = repo
  }

  /**
   * Pin CIDs whose blocks were just added. Syncs the blocks before it writes the pins, so that after a power cut no pin
   * lacks blocks. An existing pin keeps its marked CID and its name unless new ones are given.
   *
   * @returns an error for each CID, in their order, or undefined if it is pinned
   * @throws {SessionLostError} blocks in a store may have been deleted: nothing is acknowledged
   */
  async addNew (added: readonly NewPin[]): Promise<unknown[]> {
    const { records, storage, session } = this.#repo

    await storage.sync()
    // what is only read need not wait for it
    const planning = this.#plan(added)
    const confirming = session?.confirm()
    // once this ends, nothing is read any more: the store may be closed then
    await Promise.allSettled([planning, confirming])
    await confirming
    const { pins, counts } = await planning
    // in any order: a pin without its count keeps its blocks, and a count can be rebuilt
    const failures = await putRecords(records, [
      ...counts,
      ...Array.from(pins, ([key, { cid, name, depth }]) => [key, { depth, metadata: metadataOf(cid, name) }] as const)
    ])
    // a collection that took this process for dead may not have seen the pins
    await session?.confirm()

    return added.map(({ cid }) =>
      failures.get(String(pinKey(unmark(cid).toV1()))) ?? failures.get(String(countKey(unmark(cid)))))
  }

  /**
   * Pin a DAG whose blocks are all in the repo. Replaces a pin by Helia that keeps only some levels.
   *
   * @throws {DamagedDagError} a block below it is missing or damaged
   */
  async add (cid: CID, signal: AbortSignal, options?: CheckOptions): Promise<void> {
    await this.check(cid, signal, options)
    const [error] = await this.addNew([{ cid }])

    if (error != null) {
      throw error
    }
  }

  /**
   * Check that all blocks below a root are in the repo, before it is pinned. Reads every block and marks it to be
   * synced with the next pin: blocks that were fetched for a reader are not synced yet, and their files may be empty
   * after a power cut. Nor are those of a pin that Helia or `ipfsz add --no-sync` made.
   *
   * @throws {NotUnixFSError} the root is neither a file nor a directory
   * @throws {DamagedDagError} a block below it is missing or damaged
   */
  async check (
    cid: CID,
    signal: AbortSignal,
    { reached, onBlocks, leaves = 'read' }: CheckOptions = {}
  ): Promise<void> {
    const { blockstore, storage } = this.#repo
    const plain = unmark(cid)

    if (!isDagPb(plain) && !isLeaf(plain)) {
      throw notUnixFS(plain)
    }

    for await (const block of walkDag(cid, blockstore, { signal, leaves, reached })) {
      if (block.cid.multihash.code !== identity.code) {
        await storage.syncLater(block.cid)
      }

      onBlocks?.(1)
    }
  }

  async has (cid: CID): Promise<boolean> {
    return this.#repo.records.has(pinKey(unmark(cid).toV1()))
  }

  /** When a CID was pinned, or was pinned again. */
  async pinnedAt (cid: CID): Promise<Date> {
    return this.#repo.records.modified(pinKey(unmark(cid).toV1()))
  }

  /**
   * The blocks that a pin keeps. All blocks below the root, unless a pin by Helia keeps fewer levels.
   *
   * @throws {DamagedDagError} a block below it is missing or damaged
   * @throws {PinRecordError} the pin's record cannot be read
   */
  async * blocks (cid: CID, signal: AbortSignal): AsyncGenerator<CID> {
    const { blockstore, records } = this.#repo
    const pin = await readPin(pinKey(unmark(cid).toV1()), records)

    if (pin instanceof PinRecordError) {
      throw pin
    }

    for await (const block of walkDag(cid, blockstore, { signal, leaves: 'skip', depth: pin?.depth })) {
      yield block.cid
    }
  }

  /** @throws {StoreError} a store did not confirm it */
  async rm (cid: CID): Promise<void> {
    const { records, shared } = this.#repo
    const plain = unmark(cid).toV1()

    if (!await this.has(plain)) {
      throw new NotPinnedError(cid)
    }

    if (shared == null) {
      await records.delete(pinKey(plain))
      await uncount(plain, records)
    } else {
      await unpinShared(cid, records)
    }
  }

  /**
   * List all pins.
   *
   * @param onDamaged - called with the error of each record that cannot be read; these pins are left out
   * @param isLeftOut - whether a pin is left out, by its plain CID: its record is not read
   * @throws {PinRecordError} a record cannot be read, and `onDamaged` is missing
   * @throws {RepoError} the directory of the pins cannot be read
   */
  async * ls (
    signal: AbortSignal,
    onDamaged?: (err: PinRecordError) => void,
    isLeftOut?: (plainCid: CID) => boolean
  ): AsyncGenerator<Pin> {
    try {
      for await (const pin of readPins(this.#repo.records, signal, isLeftOut)) {
        if (!(pin instanceof PinRecordError)) {
          yield pin
        } else if (onDamaged == null) {
          throw pin
        } else {
          onDamaged(pin)
        }
      }
    } catch (err) {
      signal.throwIfAborted()

      throw err instanceof PinRecordError || this.#repo.shared != null
        ? err
        : new RepoError(
          `Cannot read the pins of the repo ${this.#repo.path}: ${messageOf(err)}`,
          { cause: err }
        )
    }
  }

  /** The records of new pins, by key. Those that are there are read several at a time: they may be in a store. */
  async #plan (
    added: readonly NewPin[]
  ): Promise<{ pins: Map<string, NewPin>, counts: Map<string, PinnedBlock> }> {
    const { records } = this.#repo
    const pins = new Map<string, NewPin>()
    const counts = new Map<string, PinnedBlock>()
    const earlier = mapOrdered(added, async pin => {
      const plain = unmark(pin.cid).toV1()

      return { pin, plain, found: await Promise.all([readPinnedBlock(plain, records), this.#readPin(plain)]) }
    }, { concurrency: CONCURRENCY })

    // one by one: a dag-pb CID and a raw CID of the same bytes share one count
    for await (const { pin: { cid, name, depth = Infinity }, plain, found: [count, pin] } of earlier) {
      const [key, countedAs] = [pinKey(plain), countKey(plain)].map(String)
      const { pinCount, pinnedBy } = counts.get(countedAs) ?? count
      const old = pins.get(key) ?? pin

      if (!pinnedBy.some(bytes => Buffer.compare(bytes, plain.bytes) === 0)) {
        counts.set(countedAs, { pinCount: pinCount + 1, pinnedBy: [...pinnedBy, plain.bytes] })
      }

      pins.set(key, { cid: isMarked(cid) ? cid : old?.cid ?? cid, name: name ?? old?.name, depth })
    }

    return { pins, counts }
  }

  /** The existing pin, or undefined if there is none or its record cannot be read. */
  async #readPin (plain: CID): Promise<Pin | undefined> {
    const pin = await readPin(pinKey(plain), this.#repo.records)

    return pin instanceof PinRecordError ? undefined : pin
  }
}
