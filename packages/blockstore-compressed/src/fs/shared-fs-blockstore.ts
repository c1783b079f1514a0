// Above 250 lines: a third says why blocks are written in this order, beside the code that does it.
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { readWholeFile } from '@ipfsz/utils/read-file'
import { removeFile } from '@ipfsz/utils/while-open'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { DeleteFailedError, GetFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { blockFiles } from './block-files.ts'
import { hasBytes } from './has-bytes.ts'
import { MadeDirectories } from './made-directories.ts'
import { removeStale } from './remove-stale.ts'
import { isMissing, withCause } from './store-errors.ts'
import { Unsynced } from './unsynced.ts'
import { writeAtomic } from './write-atomic.ts'
import type { BlockFile } from './block-files.ts'
import type { FsBlockstoreInit } from 'blockstore-fs'

type Value = Parameters<FsBlockstore['put']>[1]
type AbortOptions = Parameters<FsBlockstore['get']>[1]

/** The options of FsBlockstore, except those that change the paths of files. */
export interface SharedFsBlockstoreInit extends Omit<FsBlockstoreInit, 'extension' | 'shardingStrategy'> {
  /**
   * Whether blocks survive a loss of power. If so, the bytes of a file are on the disk before
   * the file gets the name of a block, and the names are there when `sync` or `close`
   * resolves. If not, `sync` does nothing and a loss of power may leave empty files for new
   * blocks. Blocks that were there before are never harmed.
   *
   * @default true
   */
  sync?: boolean | undefined

  /**
   * Makes a missing directory before a block is written into it. Where a file system may be unmounted, this can look
   * first whether it is there: what is written into the empty directory in its place is lost.
   *
   * @default `mkdir` with `recursive`
   */
  makeDirectory?: ((directory: string) => Promise<unknown>) | undefined
}

/** The directory of unfinished files, beside the directories of the blocks. */
const TEMPORARY = '.tmp'

/**
 * An `FsBlockstore` that several processes may write at the same time, and whose blocks survive a
 * loss of power. The files are where `FsBlockstore` has them by default.
 *
 * `FsBlockstore` differs in this:
 *
 * - it uses one temporary name for each block: if two processes put the same block and one
 *   is killed, the other's finished block can end up cut short
 * - it reports every failed read as a missing block, and drops the cause of other failures
 * - it lists sha2-256 blocks only
 * - it reads in pieces of 64 KiB, so blocks of 1 MiB take two to four times as long
 * - it never syncs: a loss of power seconds after a put leaves an empty file
 *
 * A block is written in this order: temporary file, bytes, sync, rename. Renaming first and
 * syncing all files at the end would be no faster, since a file system commits waiting
 * files together, and it would be wrong. A loss of power in between would leave an empty
 * file under the name of a block. And of two processes that write the same block, one could
 * replace the other's synced, acknowledged file by its own that is not synced yet.
 */
export class SharedFsBlockstore extends FsBlockstore {
  /** Each block that `get` returns is in memory of its own: its reader may free it. */
  readonly freshBlocks = true
  /** A `put` of known bytes has written them all when it resolves: who put them may free them. */
  readonly releasesBlocks = true
  readonly #sharding: NextToLast
  readonly #temporary: string
  readonly #unsynced: Unsynced | undefined
  readonly #directories: MadeDirectories
  /** The puts that run, of blocks whose bytes are known. */
  readonly #putting = new Set<Promise<unknown>>()

  constructor (location: string, { sync = true, makeDirectory, ...init }: SharedFsBlockstoreInit = {}) {
    const shardingStrategy = new NextToLast()

    super(location, { ...init, shardingStrategy })
    this.#sharding = shardingStrategy
    this.#temporary = join(this.path, TEMPORARY)
    this.#unsynced = sync ? new Unsynced(this.path) : undefined
    this.#directories = new MadeDirectories(makeDirectory)
  }

  /** Opens the store, and deletes temporary files that are older than an hour. */
  override async open (): Promise<void> {
    await super.open()
    await removeStale(this.#temporary)
  }

  override async close (): Promise<void> {
    await this.sync()
    await super.close()
  }

  /**
   * Resolves when every block put so far survives a loss of power. That includes blocks that
   * were there already: another process may have written them just now.
   */
  async sync (): Promise<void> {
    await this.#unsynced?.sync()
  }

  /**
   * Resolves when no put of known bytes runs any more. After one has failed, others still run: a process that ends
   * before them leaves their temporary files behind.
   */
  async settled (): Promise<void> {
    while (this.#putting.size > 0) {
      await Promise.allSettled(this.#putting)
    }
  }

  /** Include a stored block in the next `sync`, even if another process has put it. */
  async syncLater (cid: CID): Promise<void> {
    await this.#unsynced?.addFile(this.pathOf(cid))
  }

  /**
   * Store a block. Until `sync` resolves, a loss of power may remove it, but never leaves a
   * part of it.
   *
   * @throws {PutFailedError}
   */
  override async put (cid: CID, value: Value, options?: AbortOptions): Promise<CID> {
    const putting = this.#put(cid, value, options)

    return value instanceof Uint8Array ? this.#track(putting) : putting
  }

  /**
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  override async * get (cid: CID, options?: AbortOptions): AsyncGenerator<Uint8Array> {
    const file = this.pathOf(cid)
    const signal = options?.signal

    signal?.throwIfAborted()

    try {
      const block = await readWholeFile(file, { signal })

      if (block == null) {
        yield * createReadStream(file, { signal: signal ?? undefined })
      } else {
        yield block
      }
    } catch (err) {
      signal?.throwIfAborted()
      throw isMissing(err)
        ? withCause(NotFoundError, `The block ${cid} was not found`, err)
        : withCause(GetFailedError, `Could not read the block ${cid}`, err)
    }
  }

  /** Like FsBlockstore, answers false if the file cannot be accessed. */
  override async has (cid: CID, options?: AbortOptions): Promise<boolean> {
    const has = await super.has(cid, options)

    // FsBlockstore answers false if it is aborted
    options?.signal?.throwIfAborted()

    return has
  }

  /** @throws {DeleteFailedError} */
  override async delete (cid: CID, options?: AbortOptions): Promise<void> {
    options?.signal?.throwIfAborted()

    try {
      await removeFile(this.pathOf(cid))
    } catch (err) {
      throw withCause(DeleteFailedError, `Could not delete the block ${cid}`, err)
    }
  }

  /** Lists blocks of every hash function. Reading one that is deleted meanwhile throws NotFoundError. */
  override async * getAll (options?: AbortOptions): ReturnType<FsBlockstore['getAll']> {
    for await (const files of this.files(options)) {
      for (const { multihash } of files) {
        const cid = CID.createV1(raw.code, multihash)

        yield { cid, bytes: this.get(cid, options) }
      }
    }
  }

  /** The files of all blocks, in batches. Skips all other files. */
  files (options?: AbortOptions): AsyncGenerator<BlockFile[]> {
    return blockFiles(this.path, options?.signal ?? undefined)
  }

  async #put (cid: CID, value: Value, options?: AbortOptions): Promise<CID> {
    const file = this.pathOf(cid)
    const signal = options?.signal

    signal?.throwIfAborted()

    // a damaged block is written again, so adding its file repairs it
    if (value instanceof Uint8Array && await hasBytes(file, value)) {
      await this.#unsynced?.addFile(file)

      return cid
    }

    try {
      const writing = this.#write(file, value, signal)

      // an abort must not wait for a source that stalls
      await (value instanceof Uint8Array ? writing : raceSignal(writing, signal))
    } catch (err) {
      signal?.throwIfAborted()
      throw withCause(PutFailedError, `Could not write the block ${cid}`, err)
    }

    return cid
  }

  /** The path of a block's file. */
  pathOf (cid: CID): string {
    const { dir, file } = this.#sharding.encode(cid)

    return join(this.path, dir, file)
  }

  async #track<T> (putting: Promise<T>): Promise<T> {
    this.#putting.add(putting)

    try {
      return await putting
    } finally {
      this.#putting.delete(putting)
    }
  }

  async #write (file: string, value: Value, signal?: AbortSignal | null): Promise<void> {
    const { makeDirectory } = this.#directories
    const temporary = join(this.#temporary, randomUUID())
    const sync = this.#unsynced != null

    await this.#directories.beside(dirname(file), async () =>
      writeAtomic(file, value, { temporary, sync, signal, makeDirectory, replaceDirectory: true }))
    this.#unsynced?.addName(file)
  }
}
