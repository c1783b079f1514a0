import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { DeleteFailedError, GetFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from '../abort.ts'
import { blockFiles } from './block-files.ts'
import { hasBytes, readWhole } from './read-whole.ts'
import { removeStale } from './remove-stale.ts'
import type { BlockFile } from './block-files.ts'
import type { FsBlockstoreInit } from 'blockstore-fs'

type Value = Parameters<FsBlockstore['put']>[1]
type AbortOptions = Parameters<FsBlockstore['get']>[1]

/** Without what says where the files are. */
export type SharedFsBlockstoreInit = Omit<FsBlockstoreInit, 'extension' | 'shardingStrategy'>

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
 * four times as long, as it reads pieces of 64 KiB (bench/blockstore.ts).
 */
export class SharedFsBlockstore extends FsBlockstore {
  readonly #sharding: NextToLast
  readonly #temporary: string

  /** @param location - the directory of the blocks */
  constructor (location: string, init: SharedFsBlockstoreInit = {}) {
    const shardingStrategy = new NextToLast()

    super(location, { ...init, shardingStrategy })
    this.#sharding = shardingStrategy
    this.#temporary = join(this.path, TEMPORARY)
  }

  /** As FsBlockstore does it. What a killed process has left half written is deleted, an hour later. */
  override async open (): Promise<void> {
    await super.open()
    await removeStale(this.#temporary)
  }

  /** @throws {PutFailedError} */
  override async put (cid: CID, value: Value, options?: AbortOptions): Promise<CID> {
    const file = this.#path(cid)
    const signal = options?.signal

    signal?.throwIfAborted()

    // one that is damaged is written again, so adding a file mends it
    if (value instanceof Uint8Array && await hasBytes(file, value)) {
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

  /** Atomic: a name of its own first, then the block's. A kill leaves the block whole or absent. */
  async #write (file: string, value: Value, signal?: AbortSignal | null): Promise<void> {
    const temporary = join(this.#temporary, randomUUID())

    try {
      const handle = await inDirectory(temporary, async () => open(temporary, 'wx'))

      try {
        await handle.writeFile(value, { signal: signal ?? undefined })
      } finally {
        await handle.close()
      }

      await inDirectory(file, async () => rename(temporary, file))
    } catch (err) {
      await rm(temporary, { force: true })
      throw err
    }
  }
}

/** Make something in a directory, and first the directory where it is missing. */
async function inDirectory<T> (file: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (err) {
    if (codeOf(err) !== 'ENOENT') {
      throw err
    }

    await mkdir(dirname(file), { recursive: true })

    return make()
  }
}

function codeOf (err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined
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
