import { ipfsz, TREE_CODE } from '@ipfsz/core'
import { Originals } from '@ipfsz/core/originals'
import { RepoPins } from './repo-pins.ts'
import type { LinkRecords } from '@ipfsz/shared-store/records'
import type { OriginalsStore } from './originals-store.ts'
import type { Repo } from './repo.ts'
import type { AddOriginalsOptions, Original } from '@ipfsz/core/originals'
import type { CID } from 'multiformats/cid'

export interface OriginalIndexerInit {
  repo: Repo
  store: OriginalsStore
  /** Layouts that each file gets an original of, besides those that it is linked to. */
  layouts: readonly string[]
  signal: AbortSignal
}

/** Indexes the originals of a repo's linked files, and of its pinned trees. */
export class OriginalIndexer {
  readonly originals: Originals
  readonly #repo: Repo
  readonly #links: LinkRecords
  readonly #signal: AbortSignal

  constructor ({ repo, store, layouts, signal }: OriginalIndexerInit) {
    this.#repo = repo
    this.#signal = signal
    this.#links = repo.links.open({ writes: true, signal })
    this.originals = new Originals({ blockstore: repo.blockstore, links: this.#links, datastore: store }, { layouts })
  }

  /** The marked CIDs of all linked files, then those of all pinned trees. */
  async * candidates (onDamaged: (err: unknown) => void): AsyncGenerator<CID> {
    if (!await this.#repo.links.exist()) {
      return
    }

    const { links } = ipfsz({ blockstore: this.#repo.blockstore, datastore: this.#links })

    for await (const { compressed } of links.list({ signal: this.#signal })) {
      if (compressed.code !== TREE_CODE) {
        yield compressed
      }
    }

    for await (const { cid } of new RepoPins(this.#repo).ls(this.#signal, onDamaged)) {
      if (cid.code === TREE_CODE) {
        yield cid
      }
    }
  }

  /** Index what a marked CID names. Returns the originals that were not indexed before. */
  async add (cid: CID, options: Pick<AddOriginalsOptions, 'onProgress'> = {}): Promise<Original[]> {
    if (!await this.#repo.links.exist()) {
      return []
    }

    const before = new Set<string>()

    for await (const { original } of this.originals.of(cid)) {
      before.add(original.toString())
    }

    const all = await this.originals.add(cid, { ...options, signal: this.#signal })

    return all.filter(({ original }) => !before.has(original.toString()))
  }

  async close (): Promise<void> {
    await this.#links.close()
  }
}
