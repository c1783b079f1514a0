import { walkDag } from '../dag/dag-walk.ts'
import { DamagedDagError, UsageError } from '../errors.ts'
import { emit } from '../events.ts'
import { Histories, isHistoryName } from '../repo/history.ts'
import type { NodeContext, Session } from '../context.ts'
import type { Version } from '../repo/history.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The histories of names, while versions are added to them one after another. */
export class LatestVersions {
  readonly #files: Ipfsz
  readonly #repo: Session['repo']
  readonly #pins: Session['pins']
  readonly #histories: Histories
  readonly #context: NodeContext
  readonly #name: string | undefined

  /** @param name - of the history. By default that of each path */
  constructor (
    { repo, files, pins }: Pick<Session, 'repo' | 'files' | 'pins'>,
    { name }: { name?: string | undefined },
    context: NodeContext
  ) {
    this.#histories = new Histories(repo)
    this.#repo = repo
    this.#pins = pins
    this.#context = context
    this.#name = name
    this.#files = files
  }

  /**
   * The newest version that the repo still has. Undefined if there is none: then the next one is the first.
   *
   * @param name - of the path that is added
   */
  async find (name: string): Promise<CID | undefined> {
    const { signal } = this.#context
    const versions = await this.#histories.versions(this.#nameOf(name))

    for (const { cid } of versions) {
      signal.throwIfAborted()

      if (await this.#has(cid) && (await this.#pins.has(cid) || await this.#isWhole(cid))) {
        return cid
      }
    }

    if (versions.length > 0) {
      emit(this.#context, 'ipfsz:warning', {
        message: `the repo no longer has a version of ${this.#nameOf(name)}: it is stored in full`,
        isMinor: false
      })
    }

    return undefined
  }

  /**
   * What adds a version to the history, once its blocks are safe.
   *
   * @param name - of the path that was added
   */
  added (
    name: string,
    { cid, size, addedSize }: Pick<Version, 'cid' | 'addedSize'> & { size: number | bigint }
  ): () => Promise<void> {
    const version = {
      name: this.#nameOf(name),
      cid,
      date: new Date((this.#context.now ?? Date.now)()),
      size: Number(size),
      addedSize
    }

    return async () => { await this.#histories.append(version) }
  }

  async #has (cid: CID): Promise<boolean> {
    try {
      await this.#files.stat(cid, { offline: true, signal: this.#context.signal })

      return true
    } catch (err) {
      if (err instanceof Error && err.name === 'NotFoundError') {
        return false
      }

      throw err
    }
  }

  /**
   * Whether the repo has every block of a version that is not pinned: a collection that was killed leaves any part of
   * one behind, and reading a part of one from another node brings that part back.
   */
  async #isWhole (cid: CID): Promise<boolean> {
    try {
      for await (const _ of walkDag(cid, this.#repo.blockstore, { signal: this.#context.signal, leaves: 'has' })) {
        // the walk fails if one is missing
      }

      return true
    } catch (err) {
      if (err instanceof DamagedDagError) {
        return false
      }

      throw err
    }
  }

  #nameOf (path: string): string {
    const name = this.#name ?? path

    if (!isHistoryName(name)) {
      throw new UsageError(`"${name}" cannot be the name of a history: it needs 1 to 255 bytes`)
    }

    return name
  }
}
