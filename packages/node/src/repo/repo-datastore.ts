import { randomUUID } from 'node:crypto'
import { opendir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeStale, syncDirectory, syncEach, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { FsDatastore } from 'datastore-fs'
import { Key } from 'interface-datastore'
import { NotFoundError, PutFailedError } from 'interface-store'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import type { Records } from '@ipfsz/shared-store/records'
import type { Pair } from 'interface-datastore'

/** How many records are written at once: a disk commits waiting writes together. */
const CONCURRENCY = 32

/** Maximum number of bytes of an unknown record, 16 MiB. */
const MAX_RECORD_SIZE = 16 * 1024 * 1024

/** The subdirectory for records still being written. Queries do not list names that begin with a dot. */
const TEMPORARY = '.tmp'

/** The extension of record files. Files still being written have other names. */
const EXTENSION = '.data'

/**
 * An `FsDatastore` whose records survive a power cut once `put` returns. `FsDatastore` itself syncs nothing. It also
 * uses one temporary name per record, so two processes that write the same record can leave it cut short.
 */
export class RepoDatastore extends FsDatastore implements Records {
  readonly #sync: boolean
  readonly #temporary: string

  constructor (location: string, { sync }: { sync: boolean }) {
    super(location)
    this.#sync = sync
    this.#temporary = join(this.path, TEMPORARY)
  }

  /** Also deletes half-written records of killed processes, once they are an hour old. */
  override async open (): Promise<void> {
    await super.open()
    await removeStale(this.#temporary)
  }

  override async put (key: Key, value: Uint8Array, options?: Parameters<FsDatastore['put']>[2]): Promise<Key> {
    const [error] = await this.putEach([{ key, value }], options)

    if (error != null) {
      throw error
    }

    return key
  }

  /**
   * Put many records with different keys. Faster than single puts: each directory is synced once.
   *
   * @returns an error for each record, in their order, or undefined if it is stored
   */
  async putEach (
    records: readonly Pair[],
    options?: Parameters<FsDatastore['put']>[2]
  ): Promise<Array<PutFailedError | undefined>> {
    const signal = options?.signal
    const errors: Array<PutFailedError | undefined> = []

    for (let start = 0; start < records.length; start += CONCURRENCY) {
      signal?.throwIfAborted()

      errors.push(...await Promise.all(records.slice(start, start + CONCURRENCY).map(async ({ key, value }) =>
        writeAtomic(this.placeOf(key), value, {
          temporary: join(this.#temporary, randomUUID()),
          sync: this.#sync,
          signal
        }).then(() => undefined, (err: unknown) => failure(key, err))
      )))
    }

    signal?.throwIfAborted()

    try {
      await this.#syncNames(records.filter((_, i) => errors[i] == null).map(({ key }) => this.placeOf(key)))
    } catch (err) {
      signal?.throwIfAborted()

      return records.map(({ key }, i) => errors[i] ?? failure(key, err))
    }

    return errors
  }

  /** Synced: a pin that came back after a power cut would lead to blocks that gc has deleted. */
  override async delete (key: Key, options?: Parameters<FsDatastore['delete']>[1]): Promise<void> {
    await super.delete(key, options)
    await this.#syncNames([this.placeOf(key)])
  }

  /** @throws {TypeError} it is too large, or not a regular file, for which `FsDatastore` would wait */
  override async get (key: Key, options?: Parameters<FsDatastore['get']>[1]): Promise<Uint8Array> {
    options?.signal?.throwIfAborted()
    const bytes = await this.read(key, MAX_RECORD_SIZE)

    if (bytes == null) {
      throw new NotFoundError(`There is no record ${key}`)
    }

    return bytes
  }

  async read (key: Key, maxSize: number): Promise<Uint8Array | undefined> {
    return readOwnFile(this.placeOf(key), maxSize)
  }

  async * keys (prefix: string, signal: AbortSignal): AsyncGenerator<Key> {
    let directory

    try {
      directory = await opendir(join(this.path, prefix))
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
        // nothing was ever put
        return
      }

      throw err
    }

    for await (const { name } of directory) {
      signal.throwIfAborted()

      if (name.endsWith(EXTENSION)) {
        // as it is: a key that was cleaned would lead to another file
        yield new Key(`${prefix}/${name.slice(0, -EXTENSION.length)}`, false)
      }
    }
  }

  async modified (key: Key): Promise<Date> {
    return (await stat(this.placeOf(key))).mtime
  }

  /** The path that `FsDatastore` gives a record. */
  placeOf (key: Key): string {
    return join(this.path, `${key}${EXTENSION}`)
  }

  /**
   * Sync the directories of files, and their parents: another process may have made them just now. All at once: nobody
   * relies on the files before.
   */
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

    await syncEach(directories, syncDirectory)
  }
}

function failure (key: Key, cause: unknown): PutFailedError {
  return Object.assign(
    new PutFailedError(`Cannot write the record ${key}: ${messageOf(cause)}`),
    { cause }
  )
}
