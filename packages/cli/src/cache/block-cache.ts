import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/codecs/internal'
import { checkBlock } from '@ipfsz/core'
import { makeRoot, ROOT_SIZE, sizeOnDisk } from './cached-root.ts'
import { readIndex, writeIndex } from './cache-index.ts'
import { blockName, newDirectoryName, rootName } from './names.ts'
import { removeDirectory } from './remove-directory.ts'
import type { CachedRoot } from './cached-root.ts'
import type { CID } from 'multiformats/cid'

/** Eviction begins where less than this part of the space is free: deleting goes on while blocks are added. */
const FREE = 0.05
/** The most roots, whatever their sizes. Each takes about 1 KiB of memory. */
export const MAX_CACHED_ROOTS = 65_536
/** How long a block waits for evicted roots to be deleted, in milliseconds. Then it is not kept. */
const MAX_WAIT = 1000
/** How often the index is written, in milliseconds. Roots that changed after that are counted after a crash. */
const INDEX_INTERVAL = 60_000

export interface BlockCacheInit {
  /** A directory that no other process uses. It may be deleted at any time. */
  directory: string
  /** The most bytes on the disk. */
  size: number
  /** Called with a message for the user. */
  onNote: (message: string) => void
  /** @default 65536 */
  maxRoots?: number
}

interface GetOptions {
  signal?: AbortSignal | null | undefined
}

/**
 * Keeps blocks in a directory, by the root that they were read below: all blocks of a root are evicted together,
 * and the root that was used least recently first. A block that is lost, torn or damaged is as one that was never
 * there: each is compared with its CID when it is read, so nothing waits for the disk when it is written.
 */
export class BlockCache {
  readonly #init: BlockCacheInit
  readonly #temporary: string
  readonly #evicted: string
  readonly #index: string
  /** By name, the least recently used first. */
  readonly #roots = new Map<string, CachedRoot>()
  /** Of all roots. */
  #size = 0
  /** Of evicted roots that are not deleted yet. */
  #leaving = 0
  #removing: Promise<void> = Promise.resolve()
  #saving: Promise<void> = Promise.resolve()
  #changed = false
  #hasNoted = false
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor (init: BlockCacheInit) {
    this.#init = init
    this.#temporary = join(init.directory, 'tmp')
    this.#evicted = join(init.directory, 'evicted')
    this.#index = join(init.directory, 'index.json')
  }

  /** What is kept: bytes on the disk, with those of evicted roots that are still there. */
  get usage (): { roots: number, bytes: number } {
    return { roots: this.#roots.size, bytes: this.#size + this.#leaving }
  }

  /**
   * Find what was kept before. Half-written files of a process that was killed are deleted.
   *
   * @throws {Error} of the system
   */
  async open (): Promise<void> {
    await rm(this.#temporary, { recursive: true, force: true })
    await mkdir(this.#rootsDirectory, { recursive: true })
    await mkdir(this.#evicted, { recursive: true })
    const evicted = (await readdir(this.#evicted)).map(name => join(this.#evicted, name))
    const { roots, dropped } = await readIndex(this.#index, this.#rootsDirectory)

    for (const root of roots) {
      this.#roots.set(root.name, root)
      this.#size += root.size
    }

    for (const directory of [...dropped, ...evicted]) {
      this.#remove(directory, 0)
    }

    this.#makeRoom(0)
    this.#timer = globalThis.setInterval(() => { this.#save(false) }, INDEX_INTERVAL).unref()
  }

  /** @returns undefined if the block is not kept below this root, or is damaged */
  async get (root: CID, cid: CID, { signal }: GetOptions = {}): Promise<Uint8Array | undefined> {
    const kept = this.#use(root)

    if (kept == null) {
      return undefined
    }

    const file = join(kept.directory, blockName(cid))
    const bytes = await readFile(file, { signal: signal ?? undefined }).catch(() => undefined)

    signal?.throwIfAborted()

    if (bytes == null || await checkBlock(cid, bytes).then(() => true, () => false)) {
      return bytes
    }

    await this.#drop(kept, file, bytes.byteLength)

    return undefined
  }

  /** Keep a block below a root, if there is room. Never rejects: what is not kept can be fetched again. */
  async put (root: CID, cid: CID, bytes: Uint8Array): Promise<void> {
    const name = rootName(root)

    if (name == null || this.#closed) {
      return
    }

    const kept = this.#use(root) ?? this.#add(name)
    const block = blockName(cid)
    const putting = kept.putting.get(block) ?? this.#put(kept, join(kept.directory, block), bytes)
      .catch((err: unknown) => { this.#note(err) })
      .finally(() => {
        kept.putting.delete(block)
        this.#dropIfEmpty(kept)
      })

    kept.putting.set(block, putting)
    await putting
  }

  /** End what is under way, and write the index. */
  async close (): Promise<void> {
    clearInterval(this.#timer)
    this.#closed = true
    await Promise.allSettled([...this.#roots.values()].flatMap(({ putting }) => [...putting.values()]))
    this.#save(true)
    await Promise.all([this.#saving, this.#removing])
  }

  get #rootsDirectory (): string {
    return join(this.#init.directory, 'roots')
  }

  #use (root: CID): CachedRoot | undefined {
    const name = rootName(root)
    const kept = name == null ? undefined : this.#roots.get(name)

    if (kept != null) {
      // the one that was used last is last
      this.#roots.delete(kept.name)
      this.#roots.set(kept.name, kept)
    }

    return kept
  }

  #add (name: string): CachedRoot {
    const root = makeRoot(name, join(this.#rootsDirectory, newDirectoryName(name)))
    this.#roots.set(name, root)
    this.#resize(root, ROOT_SIZE)

    if (this.#roots.size > (this.#init.maxRoots ?? MAX_CACHED_ROOTS)) {
      const [oldest] = this.#roots.values()
      this.#evict(oldest)
    }

    return root
  }

  async #put (root: CachedRoot, file: string, bytes: Uint8Array): Promise<void> {
    // one that was damaged is gone: see `#drop`
    if (await stat(file).then(() => true, () => false)) {
      return
    }

    const size = sizeOnDisk(bytes.byteLength)

    if (!this.#reserve(root, size)) {
      await Promise.race([this.#removing, setTimeout(MAX_WAIT, undefined, { ref: false })])

      if (!this.#reserve(root, size)) {
        return
      }
    }

    const writing = writeAtomic(file, bytes, { temporary: join(this.#temporary, randomUUID()), sync: false })
    root.writing.add(writing)

    try {
      await writing
    } catch (err) {
      this.#resize(root, -size)
      throw err
    } finally {
      root.writing.delete(writing)
    }
  }

  /** Evict others until there is room for more bytes of a root. Returns false if there is none. */
  #reserve (root: CachedRoot, size: number): boolean {
    const isTooLarge = root.size + size > this.#init.size * (1 - FREE)

    if (root.evicted || isTooLarge) {
      return false
    }

    this.#makeRoom(size, root)

    if (root.evicted || this.#size + this.#leaving + size > this.#init.size) {
      return false
    }

    this.#resize(root, size)

    return true
  }

  #makeRoom (size: number, keep?: CachedRoot): void {
    for (const root of this.#roots.values()) {
      if (this.#size + size <= this.#init.size * (1 - FREE)) {
        break
      }

      if (root !== keep) {
        this.#evict(root)
      }
    }
  }

  /** Count bytes that are added to a root, or taken away. */
  #resize (root: CachedRoot, size: number): void {
    root.changed = Date.now()
    root.recorded = undefined
    this.#changed = true

    if (!root.evicted) {
      root.size += size
      this.#size += size
    }
  }

  #evict (root: CachedRoot): void {
    const { name, directory, size, writing } = root

    root.evicted = true
    this.#changed = true
    this.#roots.delete(name)
    this.#size -= size
    // what is being written would come back
    this.#remove(directory, size, Promise.allSettled(writing))
  }

  /**
   * Delete the directory of a root in the background, after others. It is moved away first, at once: a part of it
   * that is left when the process ends is no root.
   */
  #remove (directory: string, size: number, before?: Promise<unknown>): void {
    this.#leaving += size
    this.#removing = this.#removing
      .then(async () => before)
      .then(async () => {
        const away = join(this.#evicted, basename(directory))
        const isThere = await rename(directory, away).then(() => true, () => false)

        await removeDirectory(isThere ? away : directory, () => this.#closed)
      })
      .catch((err: unknown) => { this.#note(err) })
      .finally(() => { this.#leaving -= size })
  }

  /** A root of which no block could be kept is none. */
  #dropIfEmpty (root: CachedRoot): void {
    if (root.size === ROOT_SIZE && root.putting.size === 0 && !root.evicted) {
      this.#evict(root)
    }
  }

  /** Delete a damaged block. */
  async #drop (root: CachedRoot, file: string, bytes: number): Promise<void> {
    // of several that try, one succeeds
    if (await unlink(file).then(() => true, () => false)) {
      this.#resize(root, -sizeOnDisk(bytes))
    }
  }

  #save (final: boolean): void {
    if (this.#changed || final) {
      this.#changed = false
      this.#saving = this.#saving
        .then(async () => writeIndex(this.#index, this.#temporary, [...this.#roots.values()], final))
        .catch((err: unknown) => { this.#note(err) })
    }
  }

  #note (err: unknown): void {
    if (!this.#hasNoted) {
      this.#hasNoted = true
      this.#init.onNote(
        `what the gateway fetches cannot be kept (${messageOf(err)}): it answers all the same, and fetches again`
      )
    }
  }
}
