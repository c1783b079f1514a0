import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeStale, SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { removeFile } from '@ipfsz/utils/while-open'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { StoreError, StoreMissingError } from '../errors.ts'
import { TEMPORARY } from '../objects/directory-objects.ts'
import { FreeSpace } from './free-space.ts'
import type { BlockFile } from '@ipfsz/blockstore-compressed/fs'
import type { BlockStorage, StoredBlock } from './block-storage.ts'
import type { Mount } from '../objects/mount.ts'

/** How many files are deleted at a time: as many as Node has threads for. */
const REMOVALS = 4

/** Blocks as files. */
export class FileStorage extends SharedFsBlockstore implements BlockStorage {
  blocks ({ signal }: { signal?: AbortSignal | null | undefined } = {}): AsyncGenerator<BlockFile[]> {
    return this.files({ signal: signal ?? undefined })
  }

  async sizeOf (block: StoredBlock): Promise<number> {
    try {
      const stats = await stat(this.#pathOf(block))

      return stats.isFile() ? stats.size : 0
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
        // it was deleted since it was listed
        return 0
      }

      throw err
    }
  }

  async remove (...[blocks, { signal } = {}]: Parameters<BlockStorage['remove']>): Promise<void> {
    // not all at once: Node would queue them, and delete the last ones long after the signal has aborted
    const removals = mapOrdered(blocks, async block => removeFile(this.#pathOf(block)), {
      concurrency: REMOVALS,
      signal
    })

    for await (const _ of removals) {
      // nothing else to do
    }
  }

  /** The path where it was found, which may be another than that where it would be put. */
  #pathOf (block: StoredBlock): string {
    return (block as Partial<BlockFile>).path ?? this.pathOf(CID.createV1(raw.code, block.multihash))
  }
}

export interface MountedStorageInit {
  mount: Mount
  sync: boolean
  /** @default that of the mount's directory */
  freeSpace?: FreeSpace
}

/** Blocks as files on a file system that may be unmounted at any time. */
export class MountedStorage extends FileStorage {
  readonly #mount: Mount
  readonly #freeSpace: FreeSpace

  constructor (location: string, { mount, sync, freeSpace = new FreeSpace(mount.directory) }: MountedStorageInit) {
    super(location, { sync, makeDirectory: mount.makeDirectory })
    this.#mount = mount
    this.#freeSpace = freeSpace
  }

  /**
   * Also deletes unfinished objects of killed processes, once they are an hour old.
   *
   * @throws {StoreMissingError}
   * @throws {StoreError} it cannot be written
   */
  override async open (): Promise<void> {
    await this.#mount.check()

    try {
      await super.open()
      await removeStale(join(this.#mount.directory, TEMPORARY))
    } catch (err) {
      throw err instanceof StoreMissingError
        ? err
        : new StoreError(`The store ${this.#mount.directory} is not writable: ${messageOf(err)}`, { cause: err })
    }
  }

  /**
   * None while nobody has written into the store.
   *
   * @throws {StoreMissingError}
   * @throws {StoreError} the file system failed
   */
  override async * blocks (...args: Parameters<FileStorage['blocks']>): ReturnType<FileStorage['blocks']> {
    try {
      yield * super.blocks(...args)
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw this.#failed('list its blocks', err)
      }

      await this.#mount.check()
    }
  }

  /** @throws {StoreError} the file system failed */
  override async sync (): Promise<void> {
    await super.sync().catch((err: unknown) => { throw this.#failed('write its blocks to the disk', err) })
  }

  /** @throws {StoreError} the file system failed */
  override async remove (...args: Parameters<FileStorage['remove']>): Promise<void> {
    await super.remove(...args).catch((err: unknown) => { throw this.#failed('delete its blocks', err) })
  }

  /**
   * @throws {StoreMissingError}
   * @throws {StoreError} the file system failed, or is full but for what a garbage collection needs
   */
  override async put (...args: Parameters<FileStorage['put']>): ReturnType<FileStorage['put']> {
    const [cid, value] = args
    const size = value instanceof Uint8Array ? value.byteLength : 0

    try {
      return await this.#freeSpace.write(size, async () => super.put(...args), async () => super.has(cid))
    } catch (err) {
      // an abort
      if (!(err instanceof Error) || err.name !== 'PutFailedError') {
        throw err
      }

      throw err.cause instanceof StoreMissingError
        ? err.cause
        : new StoreError(`The store ${this.#mount.directory} failed: ${err.message}`, { cause: err })
    }
  }

  /** The same error, unless it is one of the system, which does not say that it is the store that failed. */
  #failed (what: string, err: unknown): unknown {
    return err instanceof Error && 'syscall' in err
      ? new StoreError(`The store ${this.#mount.directory} failed: cannot ${what}: ${messageOf(err)}`, { cause: err })
      : err
  }
}
