import { MAX_PACK_ENTRIES } from '../constants.ts'
import { StoreFailedError } from '../errors.ts'
import { PackWriter } from '../pack/pack-writer.ts'
import { writeTables } from './scan-packs.ts'
import type { View } from './view.ts'
import type { EncodedBlocks } from '../encode/encode-blocks.ts'
import type { Disk } from '../disk/disk.ts'
import type { Deletion } from '../format/group-header.ts'

export interface AppenderComponents {
  disk: Disk
  view: View
  /** A new ID of a pack or an index file: 32 random hexadecimal digits. */
  newId: () => string
}

/** Appends to the pack that this process writes, and begins a new one when it is full. One call at a time. */
export class Appender {
  readonly #disk: Disk
  readonly #view: View
  readonly #newId: () => string
  readonly #packSize: number
  readonly #tidy: () => Promise<void>
  #writer: PackWriter | undefined
  /** Packs to which nothing may be appended, but which have to be synced. */
  readonly #givenUp = new Set<PackWriter>()
  #failure: { cause: unknown } | undefined
  #isAnnounced = true

  /** @param tidy - called when a pack was full: others may need less memory, and fewer files, now */
  constructor ({ disk, view, newId }: AppenderComponents, packSize: number, tidy: () => Promise<void>) {
    this.#disk = disk
    this.#view = view
    this.#newId = newId
    this.#packSize = packSize
    this.#tidy = tidy
  }

  /** Whether there is a pack to seal. */
  get isWriting (): boolean {
    return this.#writer != null
  }

  /** Append blocks and deletions. They survive a loss of power once `sync` has resolved. */
  async append (encoded: EncodedBlocks, deletions: readonly Deletion[] = []): Promise<void> {
    this.#check()
    const writer = await this.#writable()

    try {
      await writer.append(encoded, deletions)
    } catch (err) {
      this.#giveUp(writer)
      throw err
    }

    this.#isAnnounced = false
    await this.#announce()
  }

  /** @throws {StoreFailedError} this sync failed, or one before it */
  async sync (): Promise<void> {
    await this.#announce()

    for (const writer of [...this.#givenUp, ...this.#writer == null ? [] : [this.#writer]]) {
      await this.#sync(writer)
    }

    for (const writer of this.#givenUp) {
      this.#givenUp.delete(writer)
      this.#view.removeWriter(writer, false)
      await writer.close()
    }
  }

  /** Seal the pack, so that it is in the index, and nobody has to look after it. */
  async seal (): Promise<void> {
    const writer = this.#writer

    if (writer == null) {
      return
    }

    await this.#sync(writer)

    try {
      await writer.seal()
    } catch (err) {
      this.#giveUp(writer)
      throw err
    }

    this.#writer = undefined
    this.#view.removeWriter(writer, true)
    const state = this.#view.packs.get(writer.id)

    try {
      await writeTables(this.#disk, writer.id, state == null ? [] : [state])
    } catch {
      // all is in the pack: whoever tidies the store next writes the file
    }

    await writer.close()
  }

  /** Close all files, and release the locks. What is not synced is not synced. */
  async close (): Promise<void> {
    for (const writer of [...this.#givenUp, ...this.#writer == null ? [] : [this.#writer]]) {
      await writer.close()
    }

    this.#givenUp.clear()
    this.#writer = undefined
  }

  async #writable (): Promise<PackWriter> {
    if (this.#writer != null && (this.#writer.size >= this.#packSize || this.#writer.table.count >= MAX_PACK_ENTRIES)) {
      await this.seal()
      // nothing depends on it
      await this.#tidy().catch(() => {})
    }

    while (this.#writer == null) {
      this.#writer = await PackWriter.create(this.#disk, this.#newId())

      if (this.#writer != null) {
        this.#view.addWriter(this.#writer)
      }
    }

    return this.#writer
  }

  #giveUp (writer: PackWriter): void {
    this.#givenUp.add(writer)

    if (this.#writer === writer) {
      this.#writer = undefined
    }
  }

  async #sync (writer: PackWriter): Promise<void> {
    this.#check()

    try {
      await writer.sync()
    } catch (cause) {
      this.#failure = { cause }
      this.#check()
    }
  }

  /** Until others know of it, nothing is acknowledged. */
  async #announce (): Promise<void> {
    if (!this.#isAnnounced) {
      await this.#view.announce()
      this.#isAnnounced = true
    }
  }

  #check (): void {
    if (this.#failure != null) {
      throw new StoreFailedError(this.#failure)
    }
  }
}
