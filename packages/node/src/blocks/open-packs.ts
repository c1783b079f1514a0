import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { isSameFile } from '@ipfsz/utils/open-regular-file'
import { RepoError } from '../errors.ts'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'

/** Milliseconds between two looks at what may be written or closed. */
const INTERVAL = 1000
/** Looks without a call in between, after which files are closed and the pack is sealed. */
const IDLE_LOOKS = 5

/** What is open, by directory. */
const opened = new Map<string, Promise<OpenPacks>>()

/**
 * The packs of a directory, for all of this process: each instance that adds would leave a pack. It is closed when the
 * last one who holds it is done, or, if nobody holds it, when it was not used for a while.
 */
export class OpenPacks {
  readonly store: PackedBlockstore
  readonly #directory: string
  /** The directory, kept open: no other one gets its inode then. */
  readonly #opened: number | undefined
  readonly #timer: NodeJS.Timeout
  #holders = 0
  #calls = 0
  #idle = 0
  #hasNew = false
  #closing: Promise<void> | undefined
  #failure: unknown

  private constructor (store: PackedBlockstore, directory: string) {
    this.store = store
    this.#directory = directory
    this.#opened = openDirectory(directory)
    this.#timer = setInterval(() => { this.#look().catch(() => { /* the next sync says why */ }) }, INTERVAL).unref()
  }

  /** The packs that are open, or those that this opens. */
  static async of (directory: string): Promise<OpenPacks> {
    for (;;) {
      const before = opened.get(directory)
      const opening = before ?? OpenPacks.#open(directory)

      if (before == null) {
        opened.set(directory, opening)
        opening.catch(() => { opened.delete(directory) })
      }

      const packs = await opening

      if (packs.#closing == null && !packs.#isReplaced()) {
        await (before == null ? undefined : packs.#lookAgain())

        return packs
      }

      await packs.#close().catch(() => { /* those who have put something are told */ })
    }
  }

  static async #open (directory: string): Promise<OpenPacks> {
    const { PackedBlockstore } = await import('@ipfsz/blockstore-packed')
    // all readers of a repo compare blocks with their CIDs
    const store = new PackedBlockstore(directory, { durability: 'sync', verify: false })
    await store.open()

    return new OpenPacks(store, directory)
  }

  /** Whether it may be used no more: everything that was put is on the disk, or `failure` says why not. */
  get isClosed (): boolean {
    return this.#closing != null
  }

  /** Why what was put is lost. */
  get failure (): unknown {
    return this.#failure
  }

  hold (): void {
    this.#holders++
  }

  release (): void {
    this.#holders--
  }

  /** Somebody is done. If nobody else is at it, everything is synced and closed; else it is written at least. */
  async settle (): Promise<void> {
    if (this.#holders === 0 && this.#calls === 0) {
      await this.#close()
    } else if (!this.isClosed) {
      await this.store.flush()
    }
  }

  checkPlace (): void {
    if (this.#isReplaced()) {
      throw new RepoError(`The directory ${this.#directory} was deleted or moved meanwhile`)
    }
  }

  begin (): void {
    this.#calls++
    this.#idle = 0
  }

  end (failure?: unknown): void {
    this.#calls--

    if (failure instanceof Error && failure.name === 'StoreFailedError') {
      this.#failure = failure
      this.#close().catch(() => {})
    }
  }

  /** Something was put, which other processes should find. */
  wasPut (): void {
    this.#hasNew = true
  }

  async #look (): Promise<void> {
    this.#idle++

    if (this.#hasNew) {
      this.#hasNew = false
      await this.store.flush()
    }

    await this.#lookAgain()

    if (this.#idle > IDLE_LOOKS && this.#holders === 0 && this.#calls === 0) {
      await this.#close()
    }
  }

  /** Look what others have deleted or replaced, if they have: a block that is found is read where it was. */
  async #lookAgain (): Promise<void> {
    this.#calls++
    await this.store.locations([]).finally(() => { this.#calls-- })
  }

  #isReplaced (): boolean {
    if (this.#opened == null) {
      return false
    }

    const found = statSync(this.#directory, { bigint: true, throwIfNoEntry: false })

    return found == null || !isSameFile(found, fstatSync(this.#opened, { bigint: true }))
  }

  async #close (): Promise<void> {
    await (this.#closing ??= this.#closeOnce())
  }

  async #closeOnce (): Promise<void> {
    clearInterval(this.#timer)

    try {
      await this.store.close()
    } catch (err) {
      // one that failed before was reported
      if (this.#failure == null) {
        this.#failure = err
        throw err
      }
    } finally {
      opened.delete(this.#directory)

      if (this.#opened != null) {
        closeSync(this.#opened)
      }
    }
  }
}

/** Undefined if the system opens no directories. */
function openDirectory (path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}
