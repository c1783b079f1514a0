import { rm, stat } from 'node:fs/promises'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { StoreError, StoreMissingError } from '../errors.ts'
import type { BlockStorage, StoredBlock } from './block-storage.ts'
import type { Mount } from './mount.ts'

/** Blocks as files. */
export class FileStorage extends SharedFsBlockstore implements BlockStorage {
  async sizeOf ({ path }: StoredBlock): Promise<number> {
    return (await stat(path)).size
  }

  async remove (blocks: readonly StoredBlock[]): Promise<void> {
    await Promise.all(blocks.map(async ({ path }) => rm(path, { force: true })))
  }
}

/** Blocks as files on a file system that may be unmounted at any time. */
export class MountedStorage extends FileStorage {
  readonly #mount: Mount

  constructor (location: string, { mount, sync }: { mount: Mount, sync: boolean }) {
    super(location, { sync, makeDirectory: mount.makeDirectory })
    this.#mount = mount
  }

  /** @throws {StoreMissingError} */
  override async open (): Promise<void> {
    await this.#mount.check()
    await super.open()
  }

  /**
   * @throws {StoreMissingError}
   * @throws {StoreError} the file system failed
   */
  override async put (...args: Parameters<FileStorage['put']>): ReturnType<FileStorage['put']> {
    try {
      return await super.put(...args)
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
}
