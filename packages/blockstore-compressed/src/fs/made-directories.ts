import { makeAll } from './write-atomic.ts'

/** Makes the directories of files while the files are written. */
export class MadeDirectories {
  /** Makes a missing directory, and those above it. */
  readonly makeDirectory: (directory: string) => Promise<unknown>
  /** What was made, or was there: the directories of a store are 1,024 at most. */
  readonly #made = new Set<string>()

  constructor (makeDirectory: MadeDirectories['makeDirectory'] = makeAll) {
    this.makeDirectory = makeDirectory
  }

  /** Write a file and make its directory meanwhile: on a file system over the network, each step takes a round trip. */
  async beside<T> (directory: string, write: () => Promise<T>): Promise<T> {
    const made = this.#make(directory)

    try {
      return await write()
    } finally {
      await made
    }
  }

  /** Does nothing the second time. Never rejects: if the directory is missing then, naming the file fails. */
  async #make (directory: string): Promise<void> {
    if (!this.#made.has(directory)) {
      this.#made.add(directory)

      try {
        await this.makeDirectory(directory)
      } catch {}
    }
  }
}
