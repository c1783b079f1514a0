import { readRange } from '../dag/read.ts'
import { FileClosedError } from '../errors.ts'
import { openToRead } from '../read/read-linked.ts'
import { statsOf } from './entry-stats.ts'
import { readCost } from './read-cost.ts'
import { readEntry } from './read-entry.ts'
import { basedFrames, storedFrames } from './stored-frames.ts'
import type {
  BasedFile, FileHandle, FileReadOptions, FramesOptions, OpenOptions, ReadCost, StoredFile
} from '../file-handle.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CatOptions, ExtendedStatOptions, Stats, StatOptions } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** Find out once what a CID and a path lead to. */
export async function open (cid: CID, settings: ReadSettings, options: OpenOptions = {}): Promise<FileHandle> {
  const entry = { ...await openToRead(cid, settings, options), held: {} }

  return new OpenFile(entry, await statsOf(entry, settings, options), settings, options)
}

/** Open, read, and close. */
export function cat (cid: CID, settings: ReadSettings, options: CatOptions = {}): AsyncGenerator<Uint8Array> {
  return readEntry(() => openToRead(cid, settings, options), settings, options)
}

/** Open, and describe. */
export async function stat (
  cid: CID,
  settings: ReadSettings,
  options: StatOptions & Partial<ExtendedStatOptions> = {}
): Promise<Stats> {
  return statsOf(await openToRead(cid, settings, options), settings, options)
}

class OpenFile implements FileHandle {
  readonly stats: Stats
  readonly #settings: ReadSettings
  readonly #options: FileReadOptions
  /** Undefined once it is closed. */
  #entry: LinkedEntry | undefined

  /** @param options - of reads that do not set them. Blocks on the path count for a limit, those of the file do not */
  constructor (
    entry: LinkedEntry,
    stats: Stats,
    settings: ReadSettings,
    { path: _path, limit: _limit, ...options }: OpenOptions
  ) {
    this.stats = stats
    this.#settings = settings
    this.#options = options
    this.#entry = entry
  }

  get stored (): StoredFile | undefined {
    const stored = storedFrames(this.#open())

    return stored && { ...stored, frames: options => this.#frames(stored.length, options) }
  }

  get based (): BasedFile | undefined {
    const based = basedFrames(this.#open())

    return based && { ...based, frames: options => this.#frames(based.length, options) }
  }

  read (options: FileReadOptions = {}): AsyncGenerator<Uint8Array> {
    return readEntry(() => this.#open(), this.#settings, this.#with(options))
  }

  async readCost (options: Pick<OpenOptions, 'signal'> = {}): Promise<ReadCost> {
    return readCost(this.#open(), this.#settings, this.#with(options).signal)
  }

  close (): void {
    this.#entry = undefined
  }

  async * #frames (length: number, { offset = 0, ...options }: FramesOptions = {}): AsyncGenerator<Uint8Array> {
    const { node } = this.#open()

    if (node != null) {
      yield * readRange(node, { start: offset, end: length }, this.#settings.blockstore, this.#with(options))
    }
  }

  #open (): LinkedEntry {
    if (this.#entry == null) {
      throw new FileClosedError(this.stats.plainCid)
    }

    return this.#entry
  }

  #with<Options extends FileReadOptions> (options: Options): FileReadOptions & Options {
    return { ...this.#options, ...options, signal: options.signal ?? this.#options.signal }
  }
}
