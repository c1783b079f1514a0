import { dirname } from 'node:path'
import { syncDirectory, syncEach, syncFile } from './durable.ts'

/** How many files to remember before syncing them. */
const MAX_FILES = 1024

/** The files and directories of a store that may not be on the disk yet. */
export class Unsynced {
  readonly #root: string
  #files = new Set<string>()
  #directories = new Set<string>()
  #syncing: Promise<void> = Promise.resolve()

  /** @param root - the directory of the blocks */
  constructor (root: string) {
    this.#root = root
  }

  /** Add the name of a file whose bytes are synced. */
  addName (file: string): void {
    this.#directories.add(dirname(file))
  }

  /** Add a file that another process may have written without syncing. */
  async addFile (file: string): Promise<void> {
    this.#files.add(file)
    this.addName(file)

    if (this.#files.size >= MAX_FILES) {
      await this.#inTurn(async () => this.#syncFiles())
    }
  }

  /**
   * Resolves when everything added so far is on the disk. Concurrent calls wait for each
   * other, since an earlier one may be syncing what was added. Once one has failed, all later
   * ones fail: the system forgets what it could not write, and the next fsync would succeed.
   */
  async sync (): Promise<void> {
    await this.#inTurn(async () => {
      await this.#syncFiles()
      await this.#syncDirectories()
    })
  }

  async #inTurn (work: () => Promise<void>): Promise<void> {
    const turn = this.#syncing.then(work)
    this.#syncing = turn
    await turn
  }

  async #syncFiles (): Promise<void> {
    const files = this.#files
    this.#files = new Set()

    await syncEach(files, syncFile)
  }

  /**
   * Syncs shards and their parents: another process may have created the shards just now. All at once, since nothing is
   * acknowledged before all are on the disk: on a file system over the network, each takes round trips.
   */
  async #syncDirectories (): Promise<void> {
    const directories = this.#directories
    this.#directories = new Set()

    if (directories.size > 0) {
      await syncEach([...directories, this.#root, dirname(this.#root)], syncDirectory)
    }
  }
}
