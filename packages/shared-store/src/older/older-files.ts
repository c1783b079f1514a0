import { join } from 'node:path'
import { messageOf } from '@ipfsz/utils/message-of'
import { StoreError } from '../errors.ts'
import { FileStorage } from '../storage/file-storage.ts'
import { refuseOlder } from './refuse-older.ts'
import type { CID } from 'multiformats/cid'
import type { Mount } from '../objects/mount.ts'

/** The blocks of an older store in a directory, on a file system that may be unmounted at any time. */
export class OlderFiles extends FileStorage {
  readonly #mount: Mount

  constructor (mount: Mount) {
    super(join(mount.directory, 'blocks'), { sync: true })
    this.#mount = mount
  }

  /** @throws {StoreError} always: it cannot be written */
  override async open (): Promise<void> {
    refuseOlder(this.#mount.directory)
  }

  /** @throws {StoreError} always: it cannot be written */
  override async put (): Promise<CID> {
    return refuseOlder(this.#mount.directory)
  }

  /**
   * None if nobody has written into the store.
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
  override async remove (...args: Parameters<FileStorage['remove']>): Promise<void> {
    await super.remove(...args).catch((err: unknown) => { throw this.#failed('delete its blocks', err) })
  }

  /** The same error, unless it is one of the system, which does not say that it is the store that failed. */
  #failed (what: string, err: unknown): unknown {
    return err instanceof Error && 'syscall' in err
      ? new StoreError(`The store ${this.#mount.directory} failed: cannot ${what}: ${messageOf(err)}`, { cause: err })
      : err
  }
}
