import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { removeStale, syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { FsDatastore } from 'datastore-fs'
import { PutFailedError } from 'interface-store'
import type { Key, Pair } from 'interface-datastore'

/** How many records are written at one time: a disk commits those together that wait for it. */
const CONCURRENCY = 32

/** Below the directory of the data: what is being written. No query lists what begins with a dot. */
const TEMPORARY = '.tmp'

/**
 * An `FsDatastore` whose records survive a loss of power once `put` returns. It has one
 * temporary name for each record, so two processes that write one can leave it cut
 * short, and syncs nothing.
 */
export class RepoDatastore extends FsDatastore {
  readonly #sync: boolean
  readonly #temporary: string

  /** @param init.sync - whether records are synced */
  constructor (location: string, { sync }: { sync: boolean }) {
    super(location)
    this.#sync = sync
    this.#temporary = join(this.path, TEMPORARY)
  }

  /** What a killed process has left half written is deleted, an hour later. */
  override async open (): Promise<void> {
    await super.open()
    await removeStale(this.#temporary)
  }

  /** @throws {PutFailedError} */
  override async put (key: Key, value: Uint8Array, options?: Parameters<FsDatastore['put']>[2]): Promise<Key> {
    const [error] = await this.putEach([{ key, value }], options)

    if (error != null) {
      throw error
    }

    return key
  }

  /**
   * Put many records, of keys that differ, for the price of few: a directory is synced once.
   *
   * @returns in their order what went wrong with each, undefined where it is safe
   */
  async putEach (records: readonly Pair[], options?: Parameters<FsDatastore['put']>[2]): Promise<Array<PutFailedError | undefined>> {
    const signal = options?.signal
    const errors: Array<PutFailedError | undefined> = []

    for (let start = 0; start < records.length; start += CONCURRENCY) {
      signal?.throwIfAborted()

      errors.push(...await Promise.all(records.slice(start, start + CONCURRENCY).map(async ({ key, value }) =>
        writeAtomic(this.#fileOf(key), value, { temporary: join(this.#temporary, randomUUID()), sync: this.#sync, signal }).then(() => undefined, (err: unknown) => failure(key, err))
      )))
    }

    signal?.throwIfAborted()

    try {
      await this.#syncNames(records.filter((_, i) => errors[i] == null).map(({ key }) => this.#fileOf(key)))
    } catch (err) {
      signal?.throwIfAborted()

      return records.map(({ key }, i) => errors[i] ?? failure(key, err))
    }

    return errors
  }

  /** Gone for good: a pin that came back would lead to blocks that gc has deleted meanwhile. */
  override async delete (key: Key, options?: Parameters<FsDatastore['delete']>[1]): Promise<void> {
    await super.delete(key, options)
    await this.#syncNames([this.#fileOf(key)])
  }

  /** Where `FsDatastore` has it. */
  #fileOf (key: Key): string {
    return join(this.path, `${key}.data`)
  }

  /** In the directories of files, and of those directories: another process may have made them just now. */
  async #syncNames (files: readonly string[]): Promise<void> {
    const directories = new Set<string>()

    for (const file of this.#sync ? files : []) {
      for (let directory = dirname(file); !directories.has(directory); directory = dirname(directory)) {
        directories.add(directory)

        if (directory === this.path || !directory.startsWith(this.path)) {
          break
        }
      }
    }

    // the deepest first
    for (const directory of [...directories].toSorted((a, b) => b.length - a.length)) {
      await syncDirectory(directory)
    }
  }
}

function failure (key: Key, cause: unknown): PutFailedError {
  return Object.assign(new PutFailedError(`Could not write the record ${key}: ${cause instanceof Error ? cause.message : String(cause)}`), { cause })
}
