// Room: one pack: writing, scanning, reading frames and blocks of it.
import { lockName, packName, PACKS } from './pack-names.ts'
import { EntryTable } from '../entries/entry-table.ts'
import { GROUP, decodeGroupHeader, encodeGroupHeader, encodeSeal, framesOf } from '../format/group-header.ts'
import { PACK_HEADER_FRAMES, encodePackHeader } from '../format/pack-header.ts'
import { encodeSeekTable } from '../format/seek-table.ts'
import { addGroup } from './group-rows.ts'
import type { EncodedBlocks } from '../encode/encode-blocks.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import type { Deletion } from '../format/group-header.ts'

/** Appends groups to a pack that this process alone writes. */
export class PackWriter {
  readonly id: string
  /** The entries of the groups so far. */
  readonly table = new EntryTable()
  /** Bytes of all blocks so far. */
  bytes = 0
  /** Up to where the pack is on the disk. */
  synced = 0
  size = 0
  readonly #disk: Disk
  readonly #file: DiskFile
  readonly #release: () => void
  readonly #frames: Array<readonly [stored: number, original: number]> = [...PACK_HEADER_FRAMES]
  #isNamed = false

  private constructor (disk: Disk, id: string, file: DiskFile, release: () => void) {
    this.#disk = disk
    this.id = id
    this.#file = file
    this.#release = release
  }

  /** Begin a pack. @returns undefined if its lock is taken */
  static async create (disk: Disk, id: string): Promise<PackWriter | undefined> {
    // before the file: what has no lock is taken for the pack of a dead process
    const release = await disk.lock(lockName(id))

    if (release == null) {
      return undefined
    }

    let file: DiskFile | undefined

    try {
      file = await disk.open(packName(id), 'create')
      const writer = new PackWriter(disk, id, file, release)
      await writer.#write(encodePackHeader(id))

      return writer
    } catch (err) {
      file?.close()
      // what was written of it is removed by the next who looks for packs of dead processes
      release()
      throw err
    }
  }

  /**
   * Append a group. It survives a loss of power once `sync` has resolved.
   *
   * @param deletions - places whose blocks are deleted
   */
  async append (encoded: EncodedBlocks, deletions: readonly Deletion[] = []): Promise<void> {
    const { data, crc } = encoded
    const offset = this.size
    const header = encodeGroupHeader(
      this.id,
      { offset, synced: this.synced, dataLength: data.byteLength, dataCrc: crc, kind: GROUP },
      encoded,
      deletions
    )
    await this.#write(header, data)
    const decoded = decodeGroupHeader(header)

    if (decoded != null) {
      this.#frames.push([header.byteLength, 0])
      this.#frames.push(...Array.from(framesOf(header, decoded), ({ stored, original }) => [stored, original] as const))
      this.bytes += addGroup(this.table, this.id, { header: decoded, bytes: header })
    }
  }

  /** Resolves when everything that was appended survives a loss of power, and so does the name of the pack. */
  async sync (): Promise<void> {
    const { size } = this

    if (this.synced === size) {
      return
    }

    await this.#file.sync()

    if (!this.#isNamed) {
      await this.#disk.syncDirectory(PACKS)
      this.#isNamed = true
    }

    this.synced = size
  }

  /**
   * Append the seal. Everything before is synced first: readers trust a sealed pack. The seal itself is not: a pack
   * that loses it is sealed again by whoever finds it.
   */
  async seal (): Promise<void> {
    await this.sync()
    const header = encodeSeal(this.id, this.size)
    await this.#write(header, encodeSeekTable([...this.#frames, [header.byteLength, 0]]))
  }

  /** Close the file, and release the lock. */
  async close (): Promise<void> {
    try {
      this.#file.close()
    } finally {
      this.#release()
      // nobody takes the lock of a pack but who makes it
      await this.#disk.remove(lockName(this.id)).catch(() => {})
    }
  }

  async #write (...parts: Uint8Array[]): Promise<void> {
    let size = this.size

    try {
      // not joined: that would be as much garbage as the pack has bytes
      for (const part of parts) {
        await this.#file.write(part, size)
        size += part.byteLength
      }
    } catch (err) {
      // on a full disk, deleting blocks needs the space that half a group takes
      await this.#file.truncate(this.size).catch(() => {})
      throw err
    }

    this.size = size
  }
}
