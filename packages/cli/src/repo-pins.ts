import { isMarked, markerCodecs, unmark } from '@ipfsz/core'
import { encode } from 'cborg'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { walkDag } from './dag-walk.ts'
import { NotPinnedError, RepoError } from './errors.ts'
import type { Repo } from './repo.ts'
import type { Pin as HeliaPin, Pins } from 'helia'

/** Where in a pin's metadata the marked CID is, and the name that was added. */
const CID_KEY = 'ipfsz.cid'
const NAME_KEY = 'ipfsz.name'

export interface Pin {
  /** The plain CID, which the pin is for. */
  plainCid: CID
  /** What was pinned: the marked CID, where it was that. */
  cid: CID
  /** What the added file or directory was called. */
  name?: string
  depth: number
}

type Walker = NonNullable<NonNullable<Parameters<Pins['add']>[1]>['walker']>

/**
 * Helia's pins, of plain CIDs, with the marked one in their metadata.
 *
 * Helia counts for every block how many pins it is below: that is a file for each,
 * read and written one after the other, and two processes that count at one time
 * lose a count. So a pin is kept here with the count of its root alone, and
 * `ipfsz gc` finds what is below by walking from the pins. Helia's own pins, with
 * all their counts, are walked as well.
 */
export class RepoPins {
  readonly #repo: Repo
  #helia: Pins | undefined

  constructor (repo: Repo) {
    this.#repo = repo
  }

  /**
   * Pin what has just been added, all of which is there. As `helia.pins.add` writes
   * it, without loading Helia, which takes longer than adding a small file. The blocks
   * are on the disk before the pin is: none ever leads to what a loss of power took.
   */
  async addNew (cid: CID, name?: string): Promise<void> {
    const plain = unmark(cid).toV1()
    const { datastore, disk } = this.#repo

    await disk.sync()

    const countKey = new Key(`/pinned-block/${base36.encode(plain.multihash.bytes)}`)

    // the root's count is for those who ask Helia
    if (!await datastore.has(countKey)) {
      await datastore.put(countKey, encode({ pinCount: 1, pinnedBy: [plain.bytes] }))
    }

    await datastore.put(pinKey(plain), encode({ depth: Infinity, metadata: metadataOf(cid, name) }))
  }

  /**
   * Pin what is in the repo, all of it. All of it is read: what was fetched for a reader
   * is not synced, and a file of it may be empty after a loss of power.
   *
   * @throws {DamagedDagError} something below it is not there, or damaged
   */
  async add (cid: CID, signal: AbortSignal, name?: string): Promise<void> {
    const plain = unmark(cid).toV1()

    const { blockstore, disk } = this.#repo

    for await (const { cid } of walkDag(plain, blockstore, { signal, leaves: 'read' })) {
      if (cid.multihash.code !== identity.code) {
        await disk.syncLater(cid)
      }
    }

    await disk.sync()

    const pins = await this.#pins()

    if (await this.has(plain)) {
      await pins.setMetadata(plain, metadataOf(cid, name), { signal })
    } else {
      await drain(pins.add(plain, { metadata: metadataOf(cid, name), signal, walker: rootWalker }))
    }
  }

  async has (cid: CID): Promise<boolean> {
    return this.#repo.datastore.has(pinKey(unmark(cid).toV1()))
  }

  /**
   * @throws {NotPinnedError}
   */
  async rm (cid: CID, signal: AbortSignal): Promise<void> {
    const plain = unmark(cid).toV1()

    if (!await this.has(plain)) {
      throw new NotPinnedError(cid)
    }

    await drain((await this.#pins()).rm(plain, { signal, walker: rootWalker }))
  }

  async * ls (signal: AbortSignal): AsyncGenerator<Pin> {
    try {
      for await (const pin of (await this.#pins()).ls({ signal })) {
        yield toPin(pin)
      }
    } catch (err) {
      signal.throwIfAborted()
      throw err instanceof RepoError ? err : new RepoError(`The pins of the repo ${this.#repo.path} cannot be read: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
    }
  }

  async #pins (): Promise<Pins> {
    if (this.#helia == null) {
      const { createHeliaLight } = await import('helia')
      // nothing of it touches the network
      this.#helia = createHeliaLight({ ...this.#repo, codecs: markerCodecs }).pins
    }

    return this.#helia
  }
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

function toPin ({ cid: plainCid, depth, metadata }: HeliaPin): Pin {
  const { [CID_KEY]: marked, [NAME_KEY]: name } = metadata ?? {}

  return {
    plainCid,
    cid: typeof marked === 'string' ? CID.parse(marked) : plainCid,
    ...typeof name === 'string' ? { name } : {},
    depth
  }
}

/** Only the root is counted, and it need not be there to be unpinned. */
const rootWalker: Walker = () => ({
  async * walk (cid) {
    yield { block: { cid } as never, depth: 0, path: [cid] }
  }
})

async function drain (source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source) {
    // it works as it is read
  }
}
