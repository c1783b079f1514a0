import { readRange } from '../dag/read.ts'
import { FileClosedError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { openToRead } from '../read/read-linked.ts'
import { RootCache } from '../read/root-cache.ts'
import { statsOf } from './entry-stats.ts'
import { readCost } from './read-cost.ts'
import { readEntry } from './read-entry.ts'
import { storedFrames } from './stored-frames.ts'
import type { FileHandle, FileReadOptions, FramesOptions, OpenOptions, ReadCost, StoredFile } from '../file-handle.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CatOptions, ExtendedStatOptions, Stats, StatOptions } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** Find out once what a CID and a path lead to. */
export async function open (cid: CID, settings: ReadSettings, options: OpenOptions = {}): Promise<FileHandle> {
  const entry = { ...await openToRead(cid, settings, options), held: {} }
  const isBased = entry.header != null && hasBase(entry.header)
  // others may displace the base from the cache
  const roots = isBased ? new RootCache(settings.roots) : settings.roots

  return new OpenFile(await statsOf(entry, settings, options), { entry, settings: { ...settings, roots } }, options)
}

/** Open, read, and close. */
export async function * cat (cid: CID, settings: ReadSettings, options: CatOptions = {}): AsyncGenerator<Uint8Array> {
  yield * readEntry(await openToRead(cid, settings, options), settings, options)
}

/** Open, and describe. */
export async function stat (
  cid: CID,
  settings: ReadSettings,
  options: StatOptions & Partial<ExtendedStatOptions> = {}
): Promise<Stats> {
  return statsOf(await openToRead(cid, settings, options), settings, options)
}

interface Opened {
  entry: LinkedEntry
  settings: ReadSettings
}

class OpenFile implements FileHandle {
  readonly stats: Stats
  readonly #options: FileReadOptions
  /** Undefined once it is closed. */
  #opened: Opened | undefined

  /** @param options - of reads that do not set them. Blocks on the path count for a limit, those of the file do not */
  constructor (stats: Stats, opened: Opened, { path: _path, limit: _limit, ...options }: OpenOptions) {
    this.stats = stats
    this.#opened = opened
    this.#options = options
  }

  get stored (): StoredFile | undefined {
    const stored = storedFrames(this.#open().entry)

    return stored && { ...stored, frames: options => this.#frames(stored.length, options) }
  }

  async * read (options: FileReadOptions = {}): AsyncGenerator<Uint8Array> {
    const { entry, settings } = this.#open()
    yield * readEntry(entry, settings, this.#with(options))
  }

  async readCost (options: Pick<OpenOptions, 'signal'> = {}): Promise<ReadCost> {
    const { entry, settings } = this.#open()

    return readCost(entry, settings, this.#with(options).signal)
  }

  close (): void {
    this.#opened = undefined
  }

  async * #frames (length: number, { offset = 0, ...options }: FramesOptions = {}): AsyncGenerator<Uint8Array> {
    const { entry: { node }, settings: { blockstore } } = this.#open()

    if (node != null) {
      yield * readRange(node, offset, length, blockstore, this.#with(options))
    }
  }

  #open (): Opened {
    if (this.#opened == null) {
      throw new FileClosedError(this.stats.plainCid)
    }

    return this.#opened
  }

  #with<Options extends FileReadOptions> (options: Options): FileReadOptions & Options {
    return { ...this.#options, ...options, signal: options.signal ?? this.#options.signal }
  }
}
