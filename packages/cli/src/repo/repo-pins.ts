import { join } from 'node:path'
import { isMarked, unmark } from '@ipfsz/core'
import { encode } from 'cborg'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { identity } from 'multiformats/hashes/identity'
import { walkDag } from '../dag/dag-walk.ts'
import { NotPinnedError, PinRecordError, RepoError } from '../errors.ts'
import { CID_KEY, NAME_KEY, readPin, readPinnedBlock, readPins } from './pin-records.ts'
import type { Reached } from '../dag/dag-walk.ts'
import type { Pin, PinnedBlock } from './pin-records.ts'
import type { RepoDatastore } from './repo-datastore.ts'
import type { Repo } from './repo.ts'
import type { CID } from 'multiformats/cid'

/** What is pinned, and what it is pinned as. */
export interface NewPin {
  cid: CID
  name?: string
}

/**
 * Helia's pins, of plain CIDs, with the marked one in their metadata.
 *
 * Helia counts for every block how many pins it is below: that is a file for each,
 * read and written one after the other, and two processes that count at one time
 * lose a count. So a pin is kept here with the count of its root alone, and
 * `ipfsz gc` finds what is below by walking from the pins. Helia's own pins, with
 * all their counts, are walked as well.
 *
 * Its records are read and written here without loading Helia, which takes longer than
 * adding a small file. A record that is damaged is replaced by the next one.
 */
export class RepoPins {
  readonly #repo: Repo

  constructor (repo: Repo) {
    this.#repo = repo
  }

  /**
   * Pin what has just been added, all of which is there. The blocks are on the disk
   * before the pins are: none ever leads to what a loss of power took. What was pinned by
   * its marked CID or under a name keeps them where no others are given.
   *
   * @returns in their order what went wrong with each, undefined where it is pinned
   */
  async addNew (added: readonly NewPin[]): Promise<unknown[]> {
    const { datastore, disk } = this.#repo
    const pins = new Map<string, NewPin>()
    const counts = new Map<string, PinnedBlock>()

    await disk.sync()

    // one after the other: what is pinned as a node and as a leaf has one count
    for (const { cid, name } of added) {
      const plain = unmark(cid).toV1()
      const [key, countedAs] = [pinKey(plain), countKey(plain)].map(String)
      const { pinCount, pinnedBy } = counts.get(countedAs) ?? await this.#readCount(plain)
      const old = pins.get(key) ?? await this.#readPin(plain)

      if (!pinnedBy.some(bytes => Buffer.compare(bytes, plain.bytes) === 0)) {
        counts.set(countedAs, { pinCount: pinCount + 1, pinnedBy: [...pinnedBy, plain.bytes] })
      }

      pins.set(key, { cid: isMarked(cid) ? cid : old?.cid ?? cid, name: name ?? old?.name })
    }

    const uncounted = await put(datastore, counts)
    const keysOf = ({ cid }: NewPin): [string, string] => [String(pinKey(unmark(cid).toV1())), String(countKey(unmark(cid)))]
    const pinnable = Array.from(pins).filter(([, pin]) => !uncounted.has(keysOf(pin)[1]))
    const unpinned = await put(datastore, pinnable.map(([key, { cid, name }]) => [key, { depth: Infinity, metadata: metadataOf(cid, name) }]))

    return added.map(pin => unpinned.get(keysOf(pin)[0]) ?? uncounted.get(keysOf(pin)[1]))
  }

  /**
   * Pin what is in the repo, all of it, also where Helia has pinned a part.
   *
   * @throws {DamagedDagError} something below it is not there, or damaged
   */
  async add (cid: CID, signal: AbortSignal): Promise<void> {
    await this.check(cid, signal)
    const [error] = await this.addNew([{ cid }])

    if (error != null) {
      throw error
    }
  }

  /**
   * See that a pin may be made: all below it is there. All of it is read, and synced with
   * the next pin: what was fetched for a reader is not synced, and a file of it may be
   * empty after a loss of power.
   *
   * @param reached - what is known to be there, as it was checked before
   * @throws {DamagedDagError} something below it is not there, or damaged
   */
  async check (cid: CID, signal: AbortSignal, reached?: Reached): Promise<void> {
    const { blockstore, disk } = this.#repo

    for await (const block of walkDag(cid, blockstore, { signal, leaves: 'read', reached })) {
      if (block.cid.multihash.code !== identity.code) {
        await disk.syncLater(block.cid)
      }
    }
  }

  async has (cid: CID): Promise<boolean> {
    return this.#repo.datastore.has(pinKey(unmark(cid).toV1()))
  }

  /**
   * The blocks that a pin keeps: all below the root, where it is not pinned or all of it is.
   *
   * @throws {DamagedDagError} something below it is not there, or damaged
   * @throws {PinRecordError} how much the pin keeps cannot be read
   */
  async * blocks (cid: CID, signal: AbortSignal): AsyncGenerator<CID> {
    const { blockstore } = this.#repo
    const pin = await readPin(this.#file(unmark(cid).toV1()))

    if (pin instanceof PinRecordError) {
      throw pin
    }

    for await (const block of walkDag(cid, blockstore, { signal, leaves: 'skip', depth: pin?.depth })) {
      yield block.cid
    }
  }

  /**
   * @throws {NotPinnedError}
   */
  async rm (cid: CID): Promise<void> {
    const plain = unmark(cid).toV1()

    if (!await this.has(plain)) {
      throw new NotPinnedError(cid)
    }

    await this.#repo.datastore.delete(pinKey(plain))
    await this.#uncount(plain)
  }

  /**
   * All pins.
   *
   * @param onDamaged - is told of records that cannot be read, which are left out then
   * @throws {PinRecordError} a record cannot be read, and nobody is to be told
   * @throws {RepoError} there may be pins that cannot be found
   */
  async * ls (signal: AbortSignal, onDamaged?: (err: PinRecordError) => void): AsyncGenerator<Pin> {
    try {
      for await (const pin of readPins(join(this.#repo.datastore.path, 'pin'), signal)) {
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

      if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
        // nothing was ever pinned
        return
      }

      throw err instanceof PinRecordError ? err : new RepoError(`The pins of the repo ${this.#repo.path} cannot be read: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
    }
  }

  #file (plain: CID): string {
    return join(this.#repo.datastore.path, 'pin', `${plain.toString(base36)}.data`)
  }

  /** The root's count is for those who ask Helia. What it counted for other pins stays. */
  async #uncount (plain: CID): Promise<void> {
    const { datastore } = this.#repo
    const { pinCount, pinnedBy } = await this.#readCount(plain)

    if (pinCount > 1) {
      await datastore.put(countKey(plain), encode({ pinCount: pinCount - 1, pinnedBy: pinnedBy.filter(bytes => Buffer.compare(bytes, plain.bytes) !== 0) }))
    } else {
      await datastore.delete(countKey(plain))
    }
  }

  /** What is pinned already, where its record can be read. */
  async #readPin (plain: CID): Promise<Pin | undefined> {
    const pin = await readPin(this.#file(plain))

    return pin instanceof PinRecordError ? undefined : pin
  }

  async #readCount (plain: CID): Promise<PinnedBlock> {
    return readPinnedBlock(join(this.#repo.datastore.path, `${countKey(plain)}.data`))
  }
}

/** Put records, and say by their keys which are not safe, and why. */
async function put (datastore: RepoDatastore, values: Iterable<[key: string, value: unknown]>): Promise<Map<string, Error>> {
  const records = Array.from(values, ([key, value]) => ({ key: new Key(key), value: encode(value) }))
  const errors = await datastore.putEach(records)

  return new Map(records.flatMap(({ key }, i) => errors[i] == null ? [] : [[key.toString(), errors[i]]]))
}

function countKey (plain: CID): Key {
  return new Key(`/pinned-block/${base36.encode(plain.multihash.bytes)}`)
}

function pinKey (plain: CID): Key {
  return new Key(`/pin/${plain.toString(base36)}`)
}

function metadataOf (cid: CID, name?: string): Record<string, string> {
  return {
    ...isMarked(cid) ? { [CID_KEY]: cid.toString() } : {},
    ...name == null ? {} : { [NAME_KEY]: name }
  }
}
