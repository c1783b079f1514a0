import { isMarked, markerCodecs, unmark } from '@ipfsz/core'
import { decode, encode } from 'cborg'
import { Key } from 'interface-datastore'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { walkDag } from './dag-walk.ts'
import { NotPinnedError, RepoError } from './errors.ts'
import type { Reached } from './dag-walk.ts'
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
  /** How many levels below the root are kept, as Helia has it: all of those that ipfsz made. */
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
   * it, without loading Helia, which takes longer than adding a small file.
   */
  async addNew (cid: CID, name?: string): Promise<void> {
    const plain = unmark(cid).toV1()
    const { datastore } = this.#repo

    const countKey = new Key(`/pinned-block/${base36.encode(plain.multihash.bytes)}`)

    // the root's count is for those who ask Helia
    if (!await datastore.has(countKey)) {
      await datastore.put(countKey, encode({ pinCount: 1, pinnedBy: [plain.bytes] }))
    }

    await datastore.put(pinKey(plain), encode({ depth: Infinity, metadata: metadataOf(cid, name) }))
  }

  /**
   * Pin what is in the repo, all of it, also where Helia has pinned a part.
   *
   * @param reached - what is known to be there, as it was added before
   * @throws {DamagedDagError} something below it is not there, or damaged
   */
  async add (cid: CID, signal: AbortSignal, reached?: Reached): Promise<void> {
    for await (const _ of walkDag(cid, this.#repo.blockstore, { signal, leaves: 'has', reached })) {
      // all of it is there
    }

    await this.addNew(cid)
  }

  async has (cid: CID): Promise<boolean> {
    return this.#repo.datastore.has(pinKey(unmark(cid).toV1()))
  }

  /**
   * The blocks that a pin keeps: all below the root, where it is not pinned or all of it is.
   *
   * @throws {DamagedDagError} something below it is not there, or damaged
   */
  async * blocks (cid: CID, signal: AbortSignal): AsyncGenerator<CID> {
    const { blockstore, datastore } = this.#repo
    const key = pinKey(unmark(cid).toV1())
    const { depth } = await datastore.has(key) ? decode(await datastore.get(key)) as Partial<HeliaPin> : {}

    for await (const block of walkDag(cid, blockstore, { signal, leaves: 'skip', depth: toDepth(depth) })) {
      yield block.cid
    }
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
    depth: toDepth(depth)
  }
}

/** What is no depth keeps all. */
function toDepth (depth: unknown): number {
  return typeof depth === 'number' && depth >= 0 ? depth : Infinity
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
