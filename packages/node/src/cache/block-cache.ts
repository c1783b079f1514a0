import { randomUUID } from 'node:crypto'
import { rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { checkBlock } from '@ipfsz/core'
import { messageOf } from '@ipfsz/utils/message-of'
import { readWholeFile } from '@ipfsz/utils/read-file'
import { readIndex, writeIndex } from './cache-index.ts'
import { sizeOnDisk } from './cached-root.ts'
import { EvictedRoots } from './evicted-roots.ts'
import { blockName, rootName } from './names.ts'
import { RootSet } from './root-set.ts'
import type { CachedRoot } from './cached-root.ts'
import type { CID } from 'multiformats/cid'

/** The most roots, whatever their sizes. Each takes about 1 KiB of memory. */
export const MAX_CACHED_ROOTS = 65_536
/** How long a block waits for evicted roots to be deleted, in milliseconds. Then it is not kept. */
const MAX_WAIT = 1000
/** How often the index is written, in milliseconds. After a crash, roots that changed since are counted. */
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
 * Keeps blocks in a directory, by the root that they were read below. All blocks of a root are evicted together, those
 * of the least recently used root first. A lost or damaged block counts as missing: every block is compared with its
 * CID when it is read. So files are not synced when they are written.
 */
export class BlockCache {
  readonly #onNote: (message: string) => void
  readonly #directory: string
  readonly #temporary: string
  readonly #index: string
  readonly #evicted: EvictedRoots
  readonly #roots: RootSet
  #saving: Promise<void> = Promise.resolve()
  #hasNoted = false
  #closed = false
  #timer: NodeJS.Timeout | undefined

  constructor ({ directory, size, onNote, maxRoots = MAX_CACHED_ROOTS }: BlockCacheInit) {
    this.#onNote = onNote
    this.#directory = join(directory, 'roots')
    this.#temporary = join(directory, 'tmp')
    this.#index = join(directory, 'index.json')
    this.#evicted = new EvictedRoots(join(directory, 'evicted'), err => { this.#note(err) })
    this.#roots = new RootSet({ directory: this.#directory, size, maxRoots, evicted: this.#evicted })
  }

  /** How many roots are kept, and their bytes on disk, including evicted ones that are not deleted yet. */
  get usage (): { roots: number, bytes: number } {
    return this.#roots.usage
  }

  /** Find what was kept before. Half-written files of a process that was killed are deleted. */
  async open (): Promise<void> {
    try {
      await rm(this.#temporary, { recursive: true, force: true })
      await this.#evicted.open()
    } catch (err) {
      this.#note(err)
    }

    const { roots, dropped } = await readIndex(this.#index, this.#directory)

    dropped.forEach(directory => { this.#evicted.remove(directory, 0) })
    this.#roots.load(roots)
    this.#timer = globalThis.setInterval(() => { this.#save(false) }, INDEX_INTERVAL).unref()
  }

  /** @returns undefined if the block is not kept below this root, or is damaged */
  async get (root: CID, cid: CID, { signal }: GetOptions = {}): Promise<Uint8Array | undefined> {
    const name = rootName(root)
    const cached = name == null ? undefined : this.#roots.use(name)

    if (cached == null) {
      return undefined
    }

    const file = join(cached.directory, blockName(cid))
    const bytes = await readWholeFile(file, { signal }).catch(() => undefined)

    signal?.throwIfAborted()

    if (bytes == null || await checkBlock(cid, bytes).then(() => true, () => false)) {
      return bytes
    }

    // only one of several concurrent reads deletes it
    if (await unlink(file).then(() => true, () => false)) {
      this.#roots.resize(cached, -sizeOnDisk(bytes.byteLength))
    }

    return undefined
  }

  /** Keep a block below a root, if there is room. Never rejects: what is not kept can be fetched again. */
  async put (root: CID, cid: CID, bytes: Uint8Array): Promise<void> {
    const name = rootName(root)

    if (name == null || this.#closed) {
      return
    }

    const cached = this.#roots.use(name) ?? this.#roots.add(name)
    const block = blockName(cid)
    const putting = cached.putting.get(block) ?? this.#put(cached, join(cached.directory, block), bytes)
      .catch((err: unknown) => { this.#note(err) })
      .finally(() => {
        cached.putting.delete(block)
        this.#roots.dropIfEmpty(cached)
      })

    cached.putting.set(block, putting)
    await putting
  }

  /** Wait for blocks that are being put, and write the index. */
  async close (): Promise<void> {
    clearInterval(this.#timer)
    this.#closed = true
    await Promise.allSettled(this.#roots.all.flatMap(({ putting }) => [...putting.values()]))
    this.#save(true)
    await Promise.all([this.#saving, this.#evicted.close()])
  }

  async #put (root: CachedRoot, file: string, bytes: Uint8Array): Promise<void> {
    // it is not damaged: `get` deletes a damaged file
    if (await stat(file).then(() => true, () => false)) {
      return
    }

    const size = sizeOnDisk(bytes.byteLength)

    if (!this.#roots.reserve(root, size)) {
      await Promise.race([this.#evicted.settled(), setTimeout(MAX_WAIT, undefined, { ref: false })])

      if (!this.#roots.reserve(root, size)) {
        // of a root that somebody deleted, nothing takes space any more
        if (root.writing.size === 0 && !await stat(root.directory).then(() => true, () => false)) {
          this.#roots.drop(root)
        }

        return
      }
    }

    const writing = writeAtomic(file, bytes, { temporary: join(this.#temporary, randomUUID()), sync: false })
    root.writing.add(writing)

    try {
      await writing
    } catch (err) {
      this.#roots.resize(root, -size)
      throw err
    } finally {
      root.writing.delete(writing)
    }
  }

  #save (final: boolean): void {
    if (this.#roots.changed || final) {
      this.#roots.changed = false
      this.#saving = this.#saving
        .then(async () => writeIndex(this.#index, this.#temporary, this.#roots.all, final))
        .catch((err: unknown) => { this.#note(err) })
    }
  }

  #note (err: unknown): void {
    if (!this.#hasNoted) {
      this.#hasNoted = true
      this.#onNote(
        `the gateway cannot cache fetched blocks (${messageOf(err)}). It continues, and fetches them again when needed`
      )
    }
  }
}
