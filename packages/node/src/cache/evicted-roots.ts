import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { removeDirectory } from './remove-directory.ts'

/** Deletes the directories of evicted roots, one after the other, in the background. */
export class EvictedRoots {
  readonly #directory: string
  readonly #onError: (err: unknown) => void
  #removing: Promise<void> = Promise.resolve()
  #size = 0
  #closed = false

  /** @param directory - where they wait to be deleted, on the same file system */
  constructor (directory: string, onError: (err: unknown) => void) {
    this.#directory = directory
    this.#onError = onError
  }

  /** Bytes on the disk of those that are still there. */
  get size (): number {
    return this.#size
  }

  /** Delete what an earlier process left. */
  async open (): Promise<void> {
    await mkdir(this.#directory, { recursive: true })

    for (const name of await readdir(this.#directory)) {
      this.remove(join(this.#directory, name), 0)
    }
  }

  /**
   * Delete the directory of a root. It is moved first, so that what is left of it when the process ends does not count
   * as a root.
   *
   * @param size - what it takes on the disk
   * @param before - what to wait for: a file that is still being written would make the directory again
   */
  remove (directory: string, size: number, before?: Promise<unknown>): void {
    this.#size += size
    this.#removing = this.#remove(this.#removing, directory, before)
      .catch(this.#onError)
      .finally(() => { this.#size -= size })
  }

  /** Resolves when all are deleted. */
  async settled (): Promise<void> {
    await this.#removing
  }

  /** Stop deleting. The next process deletes the rest. */
  async close (): Promise<void> {
    this.#closed = true
    await this.#removing
  }

  async #remove (last: Promise<void>, directory: string, before: Promise<unknown> | undefined): Promise<void> {
    await last
    await before

    const away = join(this.#directory, basename(directory))
    const isThere = await rename(directory, away).then(() => true, () => false)

    await removeDirectory(isThere ? away : directory, () => this.#closed)
  }
}
