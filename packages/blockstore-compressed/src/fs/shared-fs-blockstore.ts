import { randomUUID } from 'node:crypto'
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { DeleteFailedError, GetFailedError, HasFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { blockFiles } from './block-files.ts'
import type { BlockFile } from './block-files.ts'
import type { FsBlockstoreInit } from 'blockstore-fs'

type Value = Parameters<FsBlockstore['put']>[1]
type AbortOptions = Parameters<FsBlockstore['get']>[1]

/** Without what says where the files are. */
export type SharedFsBlockstoreInit = Omit<FsBlockstoreInit, 'extension' | 'shardingStrategy'>

/** Among the directories of the blocks: what is being written. */
const TEMPORARY = '.tmp'

/** What a killed process left half written is deleted when it is as old as this, 1 hour. */
const STALE_AFTER = 60 * 60 * 1000

/** A file of more bytes is no block that anybody sends, and comes in pieces: 32 MiB. */
const MAX_CHUNK_SIZE = 32 * 1024 * 1024

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
  #hasTemporary = false

  /** @param location - the directory of the blocks */
  constructor (location: string, init: SharedFsBlockstoreInit = {}) {
    const shardingStrategy = new NextToLast()

    super(location, { ...init, shardingStrategy })
    this.#sharding = shardingStrategy
    this.#temporary = join(this.path, TEMPORARY)
  }

  /**
   * What a killed process has left half written is deleted, an hour later.
   *
   * @throws {OpenFailedError}
   */
  override async open (): Promise<void> {
    await super.open()
    await this.#makeTemporary()
    await removeStale(this.#temporary)
  }

  /** @throws {PutFailedError} */
  override async put (cid: CID, value: Value, options?: AbortOptions): Promise<CID> {
    const file = this.#path(cid)

    options?.signal?.throwIfAborted()

    if (!(value instanceof Uint8Array && await isWritten(file, value))) {
      try {
        await this.#write(file, value, options)
      } catch (err) {
        throw withCause(PutFailedError, `Could not write the block ${cid}`, err)
      }
    }

    return cid
  }

  /**
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  override async * get (cid: CID, options?: AbortOptions): AsyncGenerator<Uint8Array> {
    const signal = options?.signal
    let block: Uint8Array | undefined

    signal?.throwIfAborted()

    try {
      block = await readWhole(this.#path(cid), signal)
    } catch (err) {
      throw isSystemError(err, 'ENOENT')
        ? withCause(NotFoundError, `The block ${cid} was not found`, err)
        : withCause(GetFailedError, `Could not read the block ${cid}`, err)
    }

    if (block == null) {
      yield * super.get(cid, options)
    } else {
      yield block
    }
  }

  /** @throws {HasFailedError} */
  override async has (cid: CID, options?: AbortOptions): Promise<boolean> {
    options?.signal?.throwIfAborted()

    try {
      await access(this.#path(cid))
    } catch (err) {
      if (isSystemError(err, 'ENOENT')) {
        return false
      }

      throw withCause(HasFailedError, `Could not look for the block ${cid}`, err)
    }

    return true
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

  /** The files of all blocks, in batches. Other files are passed over. */
  files (options?: AbortOptions): AsyncGenerator<BlockFile[]> {
    return blockFiles(this.path, options?.signal ?? undefined)
  }

  #path (cid: CID): string {
    const { dir, file } = this.#sharding.encode(cid)

    return join(this.path, dir, file)
  }

  /** Also when it is first needed: an `FsBlockstore` need not be opened. */
  async #makeTemporary (): Promise<void> {
    if (!this.#hasTemporary) {
      await mkdir(this.#temporary, { recursive: true })
      this.#hasTemporary = true
    }
  }

  /** Atomic: a name of its own first, then the block's. A kill leaves the block whole or absent. */
  async #write (file: string, value: Value, options?: AbortOptions): Promise<void> {
    const temporary = join(this.#temporary, randomUUID())

    await this.#makeTemporary()

    try {
      await writeFile(temporary, value, { signal: options?.signal ?? undefined })
      await move(temporary, file)
    } catch (err) {
      await rm(temporary, { force: true })
      throw err
    }
  }
}

/**
 * Undefined where it is too large for that. Each step is a way to a thread and back, behind
 * what the codecs have there: `readFile` of the handle would ask for the size once more.
 */
async function readWhole (file: string, signal: AbortSignal | null | undefined): Promise<Uint8Array | undefined> {
  const handle = await open(file)

  try {
    const { size } = await handle.stat()

    if (size > MAX_CHUNK_SIZE) {
      return undefined
    }

    const bytes = Buffer.allocUnsafeSlow(size)
    let filled = 0

    while (filled < size) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(bytes, filled, size - filled)

      if (bytesRead === 0) {
        break
      }

      filled += bytesRead
    }

    return bytes.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

async function move (from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (err) {
    if (!isSystemError(err, 'ENOENT')) {
      throw err
    }

    // the first block of its shard
    await mkdir(dirname(to), { recursive: true })
    await rename(from, to)
  }
}

/** Whether a block is there already. One that is damaged is written again, so adding a file mends it. */
async function isWritten (file: string, value: Uint8Array): Promise<boolean> {
  try {
    return (await readFile(file)).equals(value)
  } catch {
    return false
  }
}

function isSystemError (err: unknown, code: string): boolean {
  return err instanceof Error && 'code' in err && err.code === code
}

/** A store's error that keeps its cause. An abort stays an abort. */
function withCause (type: new (message: string) => Error, message: string, cause: unknown): unknown {
  return cause instanceof Error && cause.name === 'AbortError'
    ? cause
    : Object.assign(new type(`${message}: ${cause instanceof Error ? cause.message : String(cause)}`), { cause })
}

async function removeStale (temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const file = join(temporary, name)

    try {
      if (Date.now() - (await stat(file)).mtimeMs > STALE_AFTER) {
        await rm(file)
      }
    } catch {
      // another process was faster
    }
  }
}
