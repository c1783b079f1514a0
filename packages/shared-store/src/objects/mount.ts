import { mkdir, stat } from 'node:fs/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { StoreError, StoreMissingError } from '../errors.ts'

/** Makes a directory that is missing, and those above it. */
export type MakeDirectory = (directory: string) => Promise<void>

/**
 * The directory of a store, which may be unmounted at any time. Then an empty directory is in its place, and what is
 * written there is lost.
 */
export class Mount {
  readonly directory: string
  readonly #mark: string

  /** @param mark - a file that is there while the store is */
  constructor (directory: string, mark: string) {
    this.directory = directory
    this.#mark = mark
  }

  /**
   * @throws {StoreMissingError} the store is not there
   * @throws {StoreError} the file system does not say whether it is
   */
  readonly check = async (): Promise<void> => {
    try {
      await stat(this.#mark)
    } catch (err) {
      const { code } = err as NodeJS.ErrnoException

      if (code === 'ENOENT' || code === 'ENOTDIR') {
        throw new StoreMissingError(this.directory, { cause: err })
      }

      throw new StoreError(`The store ${this.directory} cannot be reached: ${messageOf(err)}`, { cause: err })
    }
  }

  /** Make a directory of the store. @throws {StoreMissingError} */
  readonly makeDirectory: MakeDirectory = async directory => {
    await this.check()
    await mkdir(directory, { recursive: true })
  }
}
