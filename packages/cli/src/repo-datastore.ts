import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { removeStale, syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { FsDatastore } from 'datastore-fs'
import { PutFailedError } from 'interface-store'
import type { Key } from 'interface-datastore'

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
    const signal = options?.signal
    const file = this.#fileOf(key)

    signal?.throwIfAborted()

    try {
      await writeAtomic(file, value, { temporary: join(this.#temporary, randomUUID()), sync: this.#sync, signal })
      await this.#syncNames(file)
    } catch (err) {
      signal?.throwIfAborted()
      throw Object.assign(new PutFailedError(`Could not write the record ${key}: ${err instanceof Error ? err.message : String(err)}`), { cause: err })
    }

    return key
  }

  /** Gone for good: a pin that came back would lead to blocks that gc has deleted meanwhile. */
  override async delete (key: Key, options?: Parameters<FsDatastore['delete']>[1]): Promise<void> {
    await super.delete(key, options)
    await this.#syncNames(this.#fileOf(key))
  }

  /** Where `FsDatastore` has it. */
  #fileOf (key: Key): string {
    return join(this.path, `${key}.data`)
  }

  /** In the directory of a file, and of that directory: another process may have made it just now. */
  async #syncNames (file: string): Promise<void> {
    if (!this.#sync) {
      return
    }

    for (let directory = dirname(file); ; directory = dirname(directory)) {
      await syncDirectory(directory)

      if (directory === this.path || !directory.startsWith(this.path)) {
        return
      }
    }
  }
}
