import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { GetFailedError, NotFoundError, PutFailedError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { blockFiles } from './block-files.ts'

type Value = Parameters<FsBlockstore['put']>[1]
type AbortOptions = Parameters<FsBlockstore['get']>[1]

/**
 * An FsBlockstore that several processes may write to at one time, and that tells
 * what went wrong. The files are where FsBlockstore has them.
 *
 * FsBlockstore writes each block under one temporary name. Where two processes add
 * the same block and one is killed, the other's finished block can end up cut
 * short. It also reports every failure to read as a block that is not there, and
 * loses the cause of a failure to write. And it lists only blocks of sha2-256.
 */
export class RepoBlockstore extends FsBlockstore {
  readonly #sharding: NextToLast
  readonly #temporary: string

  /**
   * @param location - the directory of the blocks
   * @param temporary - a directory on the same file system for what is being written
   */
  constructor (location: string, temporary: string) {
    const shardingStrategy = new NextToLast()

    super(location, { shardingStrategy })
    this.#sharding = shardingStrategy
    this.#temporary = temporary
  }

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

  override async * get (cid: CID, options?: AbortOptions): AsyncGenerator<Uint8Array> {
    let block: Uint8Array

    try {
      block = await readFile(this.#path(cid), { signal: options?.signal ?? undefined })
    } catch (err) {
      throw isSystemError(err, 'ENOENT')
        ? withCause(NotFoundError, `The block ${cid} was not found`, err)
        : withCause(GetFailedError, `Could not read the block ${cid}`, err)
    }

    yield block
  }

  override async * getAll (options?: AbortOptions): ReturnType<FsBlockstore['getAll']> {
    for await (const files of blockFiles(this.path, options?.signal ?? undefined)) {
      for (const { multihash } of files) {
        const cid = CID.createV1(raw.code, multihash)

        yield { cid, bytes: this.get(cid, options) }
      }
    }
  }

  #path (cid: CID): string {
    const { dir, file } = this.#sharding.encode(cid)

    return join(this.path, dir, file)
  }

  /** Atomic: a name of its own first, then the block's. A kill leaves the block whole or absent. */
  async #write (file: string, value: Value, options?: AbortOptions): Promise<void> {
    const temporary = join(this.#temporary, randomUUID())

    try {
      await writeFile(temporary, value, { signal: options?.signal ?? undefined })
      await move(temporary, file)
    } catch (err) {
      await rm(temporary, { force: true })
      throw err
    }
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
