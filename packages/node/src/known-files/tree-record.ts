import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openRegularFile } from '@ipfsz/utils/open-regular-file'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { sweepTemporaries, temporaryFor } from '../disk/temporary-files.ts'
import { readChunk, writeChunk } from './chunks.ts'
import { pruneRecords } from './prune-records.ts'
import { decodeRecord, encodeRecord } from './record.ts'
import type { KnownFile } from './known-file.ts'
import type { FileHandle } from 'node:fs/promises'

/** Bytes of records from which a chunk is written. */
const CHUNK_SIZE = 64 * 1024
/** The format of the file. */
const VERSION = 4

export interface TreeRecordInit {
  /** Where records are. It may be deleted at any time. */
  directory: string
  /** The path of the tree. */
  tree: string
  /** All that decides what becomes of a file. */
  options: string
  /** Whether to look what is known. If not, all files are new. */
  reads: boolean
  /** Milliseconds since 1970. */
  now: number
}

/**
 * What is known of the files of a tree, read and written anew in the order of a walk, so that memory does not depend on
 * how many there are. Any file but one that this class has written counts as empty.
 */
export class TreeRecord {
  readonly #directory: string
  readonly #file: string
  readonly #temporary: string
  readonly #fd: number
  readonly #old: FileHandle | undefined
  #chunk: Buffer | undefined
  #at = 0
  #hasMore: boolean
  #next: { path: string, file: KnownFile } | undefined
  #records: Buffer[] = []
  #size = 0
  #isOpen = true

  private constructor (directory: string, file: string, temporary: string, old: FileHandle | undefined) {
    this.#directory = directory
    this.#file = file
    this.#temporary = temporary
    this.#old = old
    this.#hasMore = old != null
    this.#fd = openSync(temporary, 'wx', 0o600)
  }

  /** @throws {Error} the directory cannot be written */
  static async open ({ directory, tree, options, reads, now }: TreeRecordInit): Promise<TreeRecord> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const head = JSON.stringify({ version: VERSION, host: hostname(), tree, options })
    const file = join(directory, createHash('sha256').update(head).digest('hex').slice(0, 32))
    const old = reads ? await openOld(file, head, now) : undefined
    const record = new TreeRecord(directory, file, temporaryFor(file), old)
    writeChunk(record.#fd, Buffer.from(JSON.stringify({ head, now })))

    return record
  }

  /** Whether there is an earlier version. */
  get hasOld (): boolean {
    return this.#old != null
  }

  /**
   * What is known of a file. To be asked once, in the order of a walk.
   *
   * @param path - relative to the tree
   */
  find (path: string): KnownFile | undefined {
    while ((this.#next ??= this.#decode()) != null) {
      const { path: next, file } = this.#next

      if (next === path) {
        this.#next = undefined

        return file
      }

      if (keyOf(next) > keyOf(path)) {
        return undefined
      }

      this.#next = undefined
    }

    return this.#hasMore ? this.#readMore(path) : undefined
  }

  /**
   * Note what came of a file. To be called in the order of a walk. What `find` returned is noted as it was. Writes
   * nothing once the record is discarded: another file may have the number of its descriptor by then.
   *
   * @throws {Error} the disk is full
   */
  add (path: string, file: KnownFile): void {
    const record = file.record ?? encodeRecord(path, file)

    if (record != null && this.#isOpen) {
      this.#records.push(record)
      this.#size += record.byteLength

      if (this.#size >= CHUNK_SIZE) {
        this.#flush()
      }
    }
  }

  /** Replace what was known before. Call it when all that was added is stored for good. */
  async commit (): Promise<void> {
    try {
      this.#flush()
      await this.#close()
      await retryWhileOpen(async () => rename(this.#temporary, this.#file))
    } catch (err) {
      await this.discard()
      await rm(this.#temporary, { force: true })
      throw err
    }

    await sweepTemporaries(this.#directory, Date.now())
    await pruneRecords(this.#directory, this.#file)
  }

  /** Leave what was known before as it is. */
  async discard (): Promise<void> {
    if (this.#isOpen) {
      await this.#close()
      await rm(this.#temporary, { force: true })
    }
  }

  #decode (): { path: string, file: KnownFile } | undefined {
    const chunk = this.#chunk

    if (chunk == null || this.#at >= chunk.byteLength) {
      this.#chunk = undefined
      return undefined
    }

    try {
      const { end, ...next } = decodeRecord(chunk, this.#at)
      this.#at = end

      return next
    } catch {
      // it was made by hand
      this.#chunk = undefined
      this.#hasMore = false

      return undefined
    }
  }

  #readMore (path: string): KnownFile | undefined {
    this.#chunk = this.#old && readChunk(this.#old)
    this.#at = 0
    this.#hasMore = this.#chunk != null

    return this.find(path)
  }

  #flush (): void {
    if (this.#records.length > 0) {
      writeChunk(this.#fd, Buffer.concat(this.#records))
      this.#records = []
      this.#size = 0
    }
  }

  async #close (): Promise<void> {
    this.#isOpen = false
    closeSync(this.#fd)
    await this.#old?.close()
  }
}

/** Open what an earlier add has written, unless it is another file, or the clock was set back since. */
async function openOld (path: string, head: string, now: number): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined

  try {
    file = await openRegularFile(path)
    const old = JSON.parse(String(readChunk(file))) as { head?: unknown, now?: unknown }

    if (old.head === head && typeof old.now === 'number' && old.now <= now) {
      return file
    }
  } catch {
    // there is none, or it is damaged
  }

  await file?.close()

  return undefined
}

/** Compares as a walk does: what is in a directory comes before what has a longer name than that. */
function keyOf (path: string): string {
  return path.replaceAll('/', '\0')
}
