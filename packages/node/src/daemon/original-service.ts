import { isMarked } from '@ipfsz/core'
import { DerivedBlockstore } from '@ipfsz/core/originals'
import all from 'it-all'
import { OriginalIndexer } from '../repo/original-indexer.ts'
import { RepoPins } from '../repo/repo-pins.ts'
import { OriginalsStore } from '../repo/originals-store.ts'
import type { Repo } from '../repo/repo.ts'
import type { CID } from 'multiformats/cid'

export interface OriginalServiceInit {
  repo: Repo
  layouts: readonly string[]
  /** Called with the errors of files that cannot be indexed, and of blocks that cannot be derived. */
  onError: (err: unknown) => void
}

/** Serves the originals of a repo's linked files, and indexes them in the background: at the start, then new ones. */
export class OriginalService {
  /** The blocks of the repo and those of the originals. */
  readonly blockstore: DerivedBlockstore
  readonly #indexer: OriginalIndexer
  readonly #store: { close (): Promise<void> }
  readonly #pins: RepoPins
  readonly #onError: (err: unknown) => void
  readonly #stopped = new AbortController()
  /** What is indexed, one file after the other. */
  #working: Promise<void> = Promise.resolve()
  #onIndexed: (originals: readonly CID[]) => void = () => {}

  constructor ({ repo, layouts, onError }: OriginalServiceInit) {
    const store = new OriginalsStore(repo.path, { writes: true })

    this.blockstore = new DerivedBlockstore(repo.blockstore, { datastore: store, onError })
    this.#store = store
    this.#pins = new RepoPins(repo)
    this.#onError = onError
    this.#indexer = new OriginalIndexer({ repo, store, layouts, signal: this.#stopped.signal })
  }

  /**
   * Index everything that is not yet.
   *
   * @param onIndexed - called with the originals of what is pinned, once they are indexed, now and later
   */
  start (onIndexed: (originals: readonly CID[]) => void): void {
    this.#onIndexed = onIndexed
    this.#enqueue(async () => this.#addAll(this.#indexer.candidates(this.#onError), added => added))
  }

  /** Index what was just pinned in the repo. Another process may have indexed it. */
  add (cids: readonly CID[]): void {
    this.#enqueue(async () => this.#addAll(cids.filter(isMarked), async (_, cid) => all(this.of(cid))))
  }

  /** Whether a CID is that of an original, whose blocks are not in the repo. */
  async isOriginal (cid: CID): Promise<boolean> {
    return await this.#indexer.originals.get(cid) != null
  }

  /** The CIDs of the originals of a compressed file or tree. */
  async * of (compressed: CID): AsyncGenerator<CID> {
    for await (const { original } of this.#indexer.originals.of(compressed)) {
      yield original
    }
  }

  async * blocks (cid: CID, signal: AbortSignal): AsyncGenerator<CID> {
    const original = await this.#indexer.originals.get(cid)

    if (original != null) {
      yield * this.#indexer.originals.blocks(original, { signal })
    }
  }

  async stop (): Promise<void> {
    this.#stopped.abort()
    await this.#working
    await this.#indexer.close()
    await this.#store.close()
  }

  #enqueue (work: () => Promise<void>): void {
    this.#working = this.#working.then(work).catch((err: unknown) => { this.#fail(err) })
  }

  /** @param provided - chooses which originals of a pin are advertised, from those that are new */
  async #addAll (
    cids: Iterable<CID> | AsyncIterable<CID>,
    provided: (added: CID[], cid: CID) => CID[] | Promise<CID[]>
  ): Promise<void> {
    for await (const cid of cids) {
      this.#stopped.signal.throwIfAborted()

      try {
        const added = await this.#indexer.add(cid)
        const originals = await provided(added.map(({ original }) => original), cid)

        if (originals.length > 0 && await this.#pins.has(cid)) {
          this.#onIndexed(originals)
        }
      } catch (err) {
        // the other files go on
        this.#fail(err)
      }
    }
  }

  #fail (err: unknown): void {
    // a file that was added without --link has no original
    if (!this.#stopped.signal.aborted && !(err instanceof Error && err.name === 'UnlinkedFileError')) {
      this.#onError(err)
    }
  }
}
