import { packName } from './pack-names.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'

/** Packs that are kept open. */
const MAX_OPEN = 64

interface Opened {
  file: DiskFile
  users: number
}

/** The packs that are open for reading. */
export class PackFiles {
  readonly #disk: Disk
  /** The one that was used last is last. */
  readonly #opened = new Map<string, Opened>()

  constructor (disk: Disk) {
    this.#disk = disk
  }

  /**
   * Open a pack, for reading before anything else happens. Its header is not looked at: each group has the ID of its
   * pack, and each block its multihash.
   */
  open (id: string): DiskFile {
    return this.#open(id).file
  }

  /** Read a pack, which stays open until `work` has ended. */
  async use<T> (id: string, work: (file: DiskFile) => Promise<T>): Promise<T> {
    const opened = this.#open(id)
    opened.users++

    try {
      return await work(opened.file)
    } finally {
      opened.users--

      if (this.#opened.get(id) !== opened) {
        closeUnused(opened)
      }
    }
  }

  /** The pack was deleted. */
  forget (id: string): void {
    const opened = this.#opened.get(id)

    if (opened != null) {
      this.#opened.delete(id)
      closeUnused(opened)
    }
  }

  close (): void {
    Array.from(this.#opened.keys()).forEach(id => { this.forget(id) })
  }

  #open (id: string): Opened {
    const opened = this.#opened.get(id) ?? { file: this.#disk.openRead(packName(id)), users: 0 }
    this.#opened.delete(id)
    this.#opened.set(id, opened)

    if (this.#opened.size > MAX_OPEN) {
      const [oldest] = this.#opened.keys()
      this.forget(oldest)
    }

    return opened
  }
}

function closeUnused ({ file, users }: Opened): void {
  if (users === 0) {
    file.close()
  }
}
