import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { DeleteFailedError, GetFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { blockFiles } from './block-files.ts'
import { codeOf } from './code-of.ts'
import { hasBytes, readWhole } from './read-whole.ts'
import { removeStale } from './remove-stale.ts'
import { Unsynced } from './unsynced.ts'
import { writeAtomic } from './write-atomic.ts'
import type { BlockFile } from './block-files.ts'
import type { FsBlockstoreInit } from 'blockstore-fs'

type Value = Parameters<FsBlockstore['put']>[1]
type AbortOptions = Parameters<FsBlockstore['get']>[1]

/** Without what says where the files are. */
export interface SharedFsBlockstoreInit extends Omit<FsBlockstoreInit, 'extension' | 'shardingStrategy'> {
  /**
   * Whether blocks are written to survive a loss of power: a file has its bytes on the
   * disk before it gets the name of a block, and the names are there when `sync` or
   * `close` returns. Without it, `sync` does nothing, and a loss of power may leave
   * empty files of new blocks. Blocks that were there before are not harmed.
   *
   * @default true
   */
  sync?: boolean | undefined
}

/** Among the directories of the blocks: what is being written. */
const TEMPORARY = '.tmp'

/** What says that there is no such file. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/**
 * An `FsBlockstore` that several processes may write to at one time, and that tells what
 * went wrong. The files are where `FsBlockstore` has them by default.
 *
 * `FsBlockstore` writes each block under one temporary name. Where two processes put the
 * same block and one is killed, the other's finished block can end up cut short. It also
 * reports every failure to read as a block that is not there, loses the cause of every
 * other failure, and lists only blocks of sha2-256. Reading blocks of 1 MiB takes it two to
 * four times as long, as it reads pieces of 64 KiB (bench/blockstore.ts). And it syncs
 * nothing: seconds after a block was put, a loss of power leaves an empty file of it.
 *
 * The order is: temporary file, bytes, sync, name. To name first and sync all files at
 * the end would cost no less, as a file system commits those together that wait at one
 * time, and would be wrong. A loss of power between would leave an empty file where
 * a block is looked for, and two processes that write one block could replace the file
 * that one has synced, and told of, by the other's that is not synced yet.
 */
export class SharedFsBlockstore extends FsBlockstore {
  readonly #sharding: NextToLast
  readonly #temporary: string
  readonly #unsynced: Unsynced | undefined

  /** @param location - the directory of the blocks */
  constructor (location: string, { sync = true, ...init }: SharedFsBlockstoreInit = {}) {
    const shardingStrategy = new NextToLast()

    super(location, { ...init, shardingStrategy })
    this.#sharding = shardingStrategy
    this.#temporary = join(this.path, TEMPORARY)
    this.#unsynced = sync ? new Unsynced(this.path) : undefined
  }

  /** As FsBlockstore does it. What a killed process has left half written is deleted, an hour later. */
  override async open (): Promise<void> {
    await super.open()
    await removeStale(this.#temporary)
  }

  override async close (): Promise<void> {
    await this.sync()
    await super.close()
  }

  /**
   * Return when all blocks that were put before survive a loss of power, also those that
   * were there already: another process may have written them just now.
   */
  async sync (): Promise<void> {
    await this.#unsynced?.sync()
  }

  /** Let the next `sync` see to a block that is there, whoever has put it. */
  async syncLater (cid: CID): Promise<void> {
    await this.#unsynced?.addFile(this.#path(cid))
  }

  /**
   * The block survives a loss of power whole, or not at all until `sync` returns.
   *
   * @throws {PutFailedError}
   */
  override async put (cid: CID, value: Value, options?: AbortOptions): Promise<CID> {
    const file = this.#path(cid)
    const signal = options?.signal

    signal?.throwIfAborted()

    // one that is damaged is written again, so adding a file mends it
    if (value instanceof Uint8Array && await hasBytes(file, value)) {
      await this.#unsynced?.addFile(file)

      return cid
    }

    try {
      const writing = this.#write(file, value, signal)

      // a source may stall
      await (value instanceof Uint8Array ? writing : raceSignal(writing, signal))
    } catch (err) {
      signal?.throwIfAborted()
      throw withCause(PutFailedError, `Could not write the block ${cid}`, err)
    }

    return cid
  }

  /**
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  override async * get (cid: CID, options?: AbortOptions): AsyncGenerator<Uint8Array> {
    const file = this.#path(cid)
    const signal = options?.signal

    signal?.throwIfAborted()

    try {
      const block = await readWhole(file, signal)

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

  /** No, too, where that cannot be known, as of FsBlockstore. */
  override async has (cid: CID, options?: AbortOptions): Promise<boolean> {
    const has = await super.has(cid, options)

    // FsBlockstore says no then
    options?.signal?.throwIfAborted()

    return has
  }

  /** @throws {DeleteFailedError} */
  override async delete (cid: CID, options?: AbortOptions): Promise<void> {
    options?.signal?.throwIfAborted()

    try {
      await rm(this.#path(cid), { force: true })
    } catch (err) {
      throw withCause(DeleteFailedError, `Could not delete the block ${cid}`, err)
    }
  }

  /** Of every hash function. What is deleted meanwhile is a NotFoundError when it is read. */
  override async * getAll (options?: AbortOptions): ReturnType<FsBlockstore['getAll']> {
    for await (const files of this.files(options)) {
      for (const { multihash } of files) {
        const cid = CID.createV1(raw.code, multihash)

        yield { cid, bytes: this.get(cid, options) }
      }
    }
  }

  /** The files of all blocks, in batches. What else is there is passed over. */
  files (options?: AbortOptions): AsyncGenerator<BlockFile[]> {
    return blockFiles(this.path, options?.signal ?? undefined)
  }

  #path (cid: CID): string {
    const { dir, file } = this.#sharding.encode(cid)

    return join(this.path, dir, file)
  }

  /** Under a name of its own first, then under the block's. */
  async #write (file: string, value: Value, signal?: AbortSignal | null): Promise<void> {
    await writeAtomic(file, value, { temporary: join(this.#temporary, randomUUID()), sync: this.#unsynced != null, signal })
    this.#unsynced?.addName(file)
  }
}

function isMissing (err: unknown): boolean {
  return MISSING.has(codeOf(err))
}

/** A store's error that keeps its cause. An abort stays an abort. */
function withCause (type: new (message: string) => Error, message: string, cause: unknown): unknown {
  return cause instanceof Error && cause.name === 'AbortError'
    ? cause
    : Object.assign(new type(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`), { cause })
}
