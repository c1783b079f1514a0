import { packName } from './pack-names.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'

/** Packs that are kept open. */
const MAX_OPEN = 64

interface Opened {
  file: Promise<DiskFile>
  users: number
  isForgotten: boolean
}

/** The packs that are open for reading. */
export class PackFiles {
  readonly #disk: Disk
  readonly #opened = new Map<string, Opened>()

  constructor (disk: Disk) {
    this.#disk = disk
  }

  /** Read a pack. Its header is not looked at: each group has the ID of its pack, and each block its multihash. */
  async use<T> (id: string, work: (file: DiskFile) => Promise<T>): Promise<T> {
    const opened = this.#opened.get(id) ?? { file: this.#open(id), users: 0, isForgotten: false }
    // now the newest
    this.#opened.delete(id)
    this.#opened.set(id, opened)
    opened.users++

    try {
      return await work(await opened.file)
    } finally {
      opened.users--
      await this.#closeOldest()

      if (opened.isForgotten && opened.users === 0) {
        await closeOpened(opened)
      }
    }
  }

  /** The pack was deleted. */
  async forget (id: string): Promise<void> {
    const opened = this.#opened.get(id)

    if (opened != null) {
      this.#opened.delete(id)
      opened.isForgotten = true

      if (opened.users === 0) {
        await closeOpened(opened)
      }
    }
  }

  async close (): Promise<void> {
    await Promise.all(Array.from(this.#opened.keys(), async id => this.forget(id)))
  }

  async #closeOldest (): Promise<void> {
    for (const [id, { users }] of this.#opened) {
      if (this.#opened.size <= MAX_OPEN) {
        return
      }

      if (users === 0) {
        await this.forget(id)
      }
    }
  }

  async #open (id: string): Promise<DiskFile> {
    const opening = this.#disk.open(packName(id), 'read')

    // one that failed is tried again
    opening.catch(() => { this.#opened.delete(id) })

    return opening
  }
}

async function closeOpened ({ file }: Opened): Promise<void> {
  const opened = await file.catch(() => {})
  await opened?.close()
}
