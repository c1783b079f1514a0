// Room: blocks that were fetched, kept on the disk of this node. Which one was used when is in `use-table.ts`.
// Above 250 lines: reading, writing and telling the table change one state, which is told to the table in batches.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeStale, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { checkBlock } from '@ipfsz/core'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { readWholeFile } from '@ipfsz/utils/read-file'
import { base32 } from 'multiformats/bases/base32'
import { holdDirectory } from '../disk/held-directory.ts'
import { removeDirectory } from '../disk/remove-directory.ts'
import { isTransient, UseTable } from './use-table.ts'
import type { Use } from './use-table.ts'
import type { CID } from 'multiformats/cid'

/** How often the table learns what was read and kept, in milliseconds. */
const INTERVAL = 1000
/** How often files are looked for that the table does not know, in milliseconds: one directory of 1,024 each time. */
const SWEEP_INTERVAL = 60_000
/** A file that the table does not know may be about to become known for so long, in milliseconds. */
const UNKNOWN_AFTER = 60_000
/** Maximum blocks that are being written, and their bytes, 32 MiB. Who reads faster waits. */
const MAX_WRITING = 64
const MAX_WRITING_BYTES = 32 * 1024 * 1024
/** Maximum uses that wait while other processes keep the table busy. */
const MAX_UNTOLD = 10_000
/** The part of the space that blocks may take that the table does not know: it learns of them before there are more. */
const UNTOLD_PART = 0.05
/** The longest name of a block. Only identity CIDs are longer, which hold their bytes themselves. */
const MAX_NAME_LENGTH = 128
/** How often the table is tried when the cache is closed, while others change it, and between that, in milliseconds. */
const CLOSING_ATTEMPTS = 50
const CLOSING_INTERVAL = 20
/** What the names of directories begin with that are being deleted. */
const OLD = 'old-'

export interface SharedCacheInit {
  /** It may be deleted at any time. */
  directory: string
  /** Maximum bytes on the disk, by how many there are when the cache is opened. */
  size: (kept: number) => number
  /** Called once, with what keeps blocks from being kept. They are read or fetched again then. */
  onFailure: (err: unknown) => void
}

/** File systems allocate space in units of this size, in bytes. */
const UNIT = 4096
/** About what a file takes besides its bytes: an inode, and an entry of its directory. */
const FILE_OVERHEAD = 256

/**
 * Keeps blocks in a directory that any number of processes use at once, each a file. Those that were used least
 * recently go first, whoever used them. A lost or damaged block counts as missing: every block is compared with its CID
 * when it is read. So files are not synced.
 *
 * Each process may have written files that the table does not know yet: until a second is over, or they take a
 * twentieth of the space, for which there is room. After a kill they stay for some time.
 */
export class SharedCache {
  readonly #directory: string
  readonly #sizeBy: SharedCacheInit['size']
  readonly #onFailure: SharedCacheInit['onFailure']
  readonly #uses = new Map<string, Use>()
  /** The blocks that are being written, by name. */
  readonly #writing = new Map<string, { bytes: Uint8Array, written: Promise<void> }>()
  #writingBytes = 0
  /** What is written and the table does not know yet, in bytes on the disk. */
  #untold = 0
  /** The files that are being written now, with their sizes on the disk. */
  readonly #arriving = new Map<Promise<void>, number>()
  /** Whether the table could not be told the last time: another process changes it, or the disk is full. */
  #isTableBusy = false
  #size = 0
  #bytes = 0
  #table: UseTable | undefined
  #work: Promise<void> = Promise.resolve()
  #timers: NodeJS.Timeout[] = []
  #hasFailed = false
  #closed = false

  constructor ({ directory, size, onFailure }: SharedCacheInit) {
    this.#directory = directory
    this.#sizeBy = size
    this.#onFailure = onFailure
  }

  /** Bytes on the disk, of all processes, as the table said last. */
  get bytes (): number {
    return this.#bytes
  }

  async open (): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 })
    this.#table = UseTable.open(join(this.#directory, 'index.db'))

    if (this.#table.isNew) {
      // nobody knows what these take
      await rename(join(this.#directory, 'blocks'), join(this.#directory, `${OLD}${randomUUID()}`)).catch(() => {})
    }

    this.#bytes = this.#ask(({ bytes }) => bytes) ?? 0
    this.#size = this.#sizeBy(this.#bytes)

    this.#do(async () => {
      await removeStale(this.#temporary)
      await this.#removeOld()
      await this.#sweep()
    })
    this.#timers = [
      setInterval(() => { this.#do(async () => this.#save()) }, INTERVAL).unref(),
      setInterval(() => { this.#do(async () => this.#sweep()) }, SWEEP_INTERVAL).unref()
    ]
  }

  /** @returns undefined if the block is not kept, or is damaged */
  async get (cid: CID, options?: { signal?: AbortSignal | null | undefined }): Promise<Uint8Array | undefined> {
    return this.read(blockName(cid), async bytes => checkBlock(cid, bytes).then(() => true, () => false), options)
  }

  /**
   * The same for what is no block. It has memory of its own.
   *
   * @param isGood - whether the bytes are what was kept under this name: a disk may damage them
   */
  async read (
    name: string,
    isGood: (bytes: Uint8Array) => Promise<boolean>,
    { signal }: { signal?: AbortSignal | null | undefined } = {}
  ): Promise<Uint8Array | undefined> {
    const writing = this.#writing.get(name)

    if (writing != null) {
      return Uint8Array.prototype.slice.call(writing.bytes)
    }

    const file = this.#file(name)
    const bytes = await readWholeFile(file, { signal }).catch(() => undefined)

    signal?.throwIfAborted()

    if (bytes == null) {
      return undefined
    }

    if (await isGood(bytes)) {
      this.#note({ name, used: Date.now(), read: true })

      return bytes
    }

    await unlink(file).catch(() => {})
    this.#note({ name, used: Date.now(), gone: true })

    return undefined
  }

  /** What is kept in the directory of a name, or about to be: to list it takes one call, and to look for each many. */
  async namesBeside (name: string): Promise<ReadonlySet<string>> {
    const writing = [...this.#writing.keys()]
    const kept = await readdir(dirname(this.#file(name))).catch(() => [])

    return new Set([...writing, ...kept])
  }

  /**
   * Keep a block, in the background. Waits only if too much is being written. Never rejects.
   *
   * @param bytes - are the block's, and stay as they are
   */
  async put (cid: CID, bytes: Uint8Array): Promise<void> {
    await this.#keep(blockName(cid), bytes, () => {})
  }

  /** The same for what is no block, under a name that nothing else has. Its memory is freed when it is written. */
  async keep (name: string, bytes: Uint8Array): Promise<void> {
    await this.#keep(name, bytes, () => { freeBytes(bytes) })
  }

  async #keep (name: string, bytes: Uint8Array, onWritten: () => void): Promise<void> {
    const size = sizeOnDisk(bytes.byteLength)

    while (this.#writing.size >= MAX_WRITING || this.#writingBytes >= MAX_WRITING_BYTES) {
      await Promise.race(Array.from(this.#writing.values(), ({ written }) => written))
    }

    if (this.#closed || this.#table == null || this.#writing.has(name)) {
      return
    }

    if (name.length > MAX_NAME_LENGTH || size > this.#size / 2) {
      return
    }

    this.#writingBytes += bytes.byteLength
    const written = this.#write(name, bytes, size)
      .catch((err: unknown) => { this.#fail(err) })
      .finally(() => {
        this.#writingBytes -= bytes.byteLength
        this.#writing.delete(name)
        onWritten()
      })
    this.#writing.set(name, { bytes, written })
  }

  /** Wait for what is being written, and tell the table. */
  async close (): Promise<void> {
    this.#closed = true
    this.#timers.forEach(timer => { clearInterval(timer) })
    await Promise.all(Array.from(this.#writing.values(), ({ written }) => written))
    await this.#work

    for (let attempt = 0; this.#table != null && this.#uses.size > 0 && attempt < CLOSING_ATTEMPTS; attempt++) {
      await (attempt > 0 ? sleep(CLOSING_INTERVAL) : undefined)
      await this.#save().catch((err: unknown) => { this.#fail(err) })
    }

    this.#table?.close()
    this.#table = undefined
  }

  get #temporary (): string {
    return join(this.#directory, 'tmp')
  }

  /** In one of 1,024 directories, by the last characters of a name but one: they differ most. */
  #file (name: string): string {
    return join(this.#directory, 'blocks', name.slice(-3, -1), name)
  }

  async #write (name: string, bytes: Uint8Array, size: number): Promise<void> {
    // in a loop, as others that waited too may have taken the room
    while (!this.#hasRoom(size)) {
      await Promise.all(this.#arriving.keys())
      this.#do(async () => this.#save())
      await this.#work

      if (this.#isTableBusy) {
        return
      }
    }

    const written = this.#writeFile(name, bytes, size)
    const ended = written.catch(() => {})
    this.#arriving.set(ended, size)
    await written.finally(() => { this.#arriving.delete(ended) })
  }

  async #writeFile (name: string, bytes: Uint8Array, size: number): Promise<void> {
    await writeAtomic(this.#file(name), bytes, { temporary: join(this.#temporary, randomUUID()), sync: false })
    this.#untold += size
    this.#note({ name, used: Date.now(), kept: size })
  }

  /** Whether a file may be written before the table is told. One that needs more than there is goes alone. */
  #hasRoom (size: number): boolean {
    const others = [...this.#arriving.values()].reduce((sum, size) => sum + size, this.#untold)

    return others === 0 || others + size <= this.#size * UNTOLD_PART
  }

  #note (use: Use): void {
    // that it was read must not replace that it was kept
    if (this.#table != null && (!('read' in use) || !this.#uses.has(use.name))) {
      this.#uses.set(use.name, use)
    }
  }

  /** Ask the table. When it fails, nothing is kept any more, as nobody would know what that takes. */
  #ask<T> (question: (table: UseTable) => T): T | undefined {
    const table = this.#table

    try {
      return table == null ? undefined : question(table)
    } catch (err) {
      if (isTransient(err)) {
        throw err
      }

      this.#table = undefined
      this.#uses.clear()
      this.#fail(err)
      table?.abandon(err)

      return undefined
    }
  }

  /** Do something in the background, after what is done already. */
  #do (work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((err: unknown) => {
      // another process changes the table, or the disk is full: the next time
      if (!isTransient(err)) {
        this.#fail(err)
      }
    })
  }

  /** Tell the table what was done, and delete the files that it drops. */
  async #save (): Promise<void> {
    for (let isFull = this.#uses.size > 0; isFull;) {
      const uses = [...this.#uses.values()]
      // what happens from here on is told the next time. What the table refuses is forgotten: others may know it
      this.#uses.clear()
      const result = this.#ask(table => table.note(uses, this.#size * (1 - UNTOLD_PART)))
      this.#isTableBusy = result == null

      if (result == null) {
        uses.slice(0, MAX_UNTOLD).forEach(use => { this.#note(use) })

        return
      }

      this.#untold = 0
      this.#bytes = result.bytes

      for (const name of result.dropped) {
        await unlink(this.#file(name)).catch(() => {})
      }

      ({ isFull } = result)
    }
  }

  /** Delete files of a directory that the table does not know: a process was killed before it told the table. */
  async #sweep (): Promise<void> {
    const directories = await readdir(join(this.#directory, 'blocks')).catch(() => [])
    const chosen = directories.at(Math.floor(Math.random() * directories.length))

    if (chosen == null) {
      return
    }

    for (const name of await readdir(join(this.#directory, 'blocks', chosen))) {
      const file = join(this.#directory, 'blocks', chosen, name)

      if (this.#closed) {
        return
      }

      if (this.#ask(table => table.has(name)) === false && !this.#uses.has(name)) {
        const stats = await stat(file).catch(() => undefined)

        if (stats != null && Date.now() - stats.mtimeMs > UNKNOWN_AFTER) {
          await unlink(file).catch(() => {})
        }
      }
    }
  }

  async #removeOld (): Promise<void> {
    const held = await holdDirectory(this.#directory)

    try {
      for (const name of await readdir(held.path)) {
        if (name.startsWith(OLD)) {
          // others may be at it too. What is left goes when the cache is opened next
          await removeDirectory(held, name, () => this.#closed).catch(() => {})
        }
      }
    } finally {
      await held.close()
    }
  }

  #fail (err: unknown): void {
    if (!this.#hasFailed) {
      this.#hasFailed = true
      this.#onFailure(err)
    }
  }
}

/** What a block takes on the disk: many small files take far more than their bytes. */
function sizeOnDisk (bytes: number): number {
  return Math.ceil((bytes + FILE_OVERHEAD) / UNIT) * UNIT
}

/** The name of the file of a block. Blocks of the same multihash have the same bytes. */
function blockName ({ multihash }: CID): string {
  return base32.encode(multihash.bytes)
}
