import { dirname } from 'node:path'
import { syncDirectory, syncEach, syncFile } from './durable.ts'

/** So many files are remembered before they are synced. */
const MAX_FILES = 1024

/** What has to be synced before anybody is told that the blocks of a store stay. */
export class Unsynced {
  readonly #root: string
  #files = new Set<string>()
  #directories = new Set<string>()
  #syncing: Promise<void> = Promise.resolve()

  /** @param root - the directory of the blocks, whose own directory has its name */
  constructor (root: string) {
    this.#root = root
  }

  /** A synced file has got its name. */
  addName (file: string): void {
    this.#directories.add(dirname(file))
  }

  /** A file was there, and who wrote it need not have synced it. */
  async addFile (file: string): Promise<void> {
    this.#files.add(file)
    this.addName(file)

    if (this.#files.size >= MAX_FILES) {
      await this.#inTurn(async () => this.#syncFiles())
    }
  }

  /**
   * Return when all that was added before is on the disk. Whoever calls it while another
   * call is at work waits for that one too, which may have taken what is asked for. After
   * one that failed all fail: a system forgets what it could not write, and would say
   * the next time that all is well.
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

  /** Shards, then what has their names: another process may have made them just now. */
  async #syncDirectories (): Promise<void> {
    const directories = this.#directories
    this.#directories = new Set()

    if (directories.size > 0) {
      await syncEach(directories, syncDirectory)
      await syncEach([this.#root, dirname(this.#root)], syncDirectory)
    }
  }
}
