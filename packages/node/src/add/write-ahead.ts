import { DictionaryWindow, mayHaveDictionary } from '@ipfsz/core/small-files'
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { TreeFile } from '../disk/tree-file.ts'
import { KnownFiles } from './known-files.ts'
import type { UnchangedFile } from './known-files.ts'
import type { SmallFiles } from './small-files.ts'
import type { FileToWrite } from './small-files-messages.ts'
import type { Candidate } from '../disk/tree-source.ts'
import type { KnownFile } from '../known-files/known-file.ts'
import type { AddCandidate, WrittenFile } from '@ipfsz/core'
import type { SharedDictionary } from '@ipfsz/core/small-files'
import type { Settled } from '@ipfsz/utils/map-ordered'

/** Small files of a batch, and their bytes. */
const BATCH_FILES = 128
const BATCH_SIZE = 1024 * 1024
/** Candidates of a batch: directories, links and files that are known among them. */
const BATCH_CANDIDATES = 512

/** Batches in work, for each thread: while one is read, blocks of the other are stored. */
const BATCHES = 2
/** With dictionaries, batches are windows: those of one are made while the files of the one before are written. */
const WINDOWS = 1
/** Candidates that wait for those before them, which may be a large file: about 4 MB. */
const MAX_WAITING = 4096
/** A single large file is worth starting threads, 16 MiB. */
const LARGE_ENOUGH = 16 * 1024 * 1024

/** How small files are written. */
export interface SmallFilesOfTree {
  /** The most bytes of one. */
  readonly maxSize: number
  /** The most bytes of a large one, which is written alone. */
  readonly maxLargeSize: number
  readonly threads: number
  /** Whether they get dictionaries. */
  readonly dictionaries: boolean
  /** Whether there are threads already. */
  readonly isOpen: boolean
  open: () => SmallFiles
}

export interface WriteAheadOptions {
  /** What is known of files. */
  known?: KnownFiles | undefined
  small?: SmallFilesOfTree | undefined
}

/**
 * Skip the files of a tree that are known, and write small ones in worker threads before their turn comes. All
 * candidates keep their order; what is not written so passes as it is. Files of a directory that follow each other
 * become one candidate.
 *
 * @throws {ThreadFailedError}
 */
export async function * writeAhead (
  candidates: AsyncIterable<Candidate>,
  options: WriteAheadOptions
): AsyncGenerator<AddCandidate> {
  const { known, small } = options
  const ahead = new Ahead(small?.dictionaries === true ? WINDOWS : BATCHES * (small?.threads ?? 1))
  let batch = new Batch(options)

  for await (const candidate of candidates) {
    const file = 'content' in candidate && candidate.content instanceof TreeFile ? candidate.content : undefined
    const found = file == null ? undefined : known?.find(file)
    batch.push(candidate, file, found instanceof Promise ? await found : found)

    if (batch.isFull) {
      ahead.push(batch)
      batch = new Batch(options)
      yield * ahead.takeDone()
    }

    while (ahead.isFull) {
      await ahead.progress()
      yield * ahead.takeDone()
    }
  }

  ahead.push(batch)

  while (!ahead.isEmpty) {
    yield * await ahead.takeFirst()
  }
}

interface Waiting {
  written: Promise<Settled<AddCandidate[]>>
  /** How many candidates it has. */
  size: number
  isDone: boolean
}

/** Batches in work, and those that wait for one before them. */
class Ahead {
  readonly #maxWorking: number
  readonly #batches: Waiting[] = []
  readonly #working = new Set<Waiting['written']>()
  #size = 0

  constructor (maxWorking: number) {
    this.#maxWorking = maxWorking
  }

  get isEmpty (): boolean {
    return this.#batches.length === 0
  }

  get isFull (): boolean {
    return this.#working.size > this.#maxWorking || this.#size > MAX_WAITING
  }

  push (batch: Batch): void {
    const written = settle(async full => full.write(), batch)
    const waiting = { written, size: batch.size, isDone: false }
    this.#working.add(written)
    this.#batches.push(waiting)
    this.#size += batch.size
    void this.#noteEnd(waiting)
  }

  async #noteEnd (waiting: Waiting): Promise<void> {
    await waiting.written
    waiting.isDone = true
    this.#working.delete(waiting.written)
  }

  /** Resolves when another batch is done: the first one, if that is what is waited for. */
  async progress (): Promise<void> {
    await (this.#size > MAX_WAITING ? this.#batches[0]?.written : Promise.race(this.#working))
  }

  /** The first batch. */
  async takeFirst (): Promise<AddCandidate[]> {
    const first = this.#batches.shift()
    this.#size -= first?.size ?? 0

    return first == null ? [] : unwrap(await first.written)
  }

  /** Those at the beginning that are done. */
  async * takeDone (): AsyncGenerator<AddCandidate> {
    while (this.#batches[0]?.isDone === true) {
      yield * await this.takeFirst()
    }
  }
}

/** The first of some items: one, or as many as a batch may have. They are taken away. */
function takeBatch (items: Item[]): Item[] {
  let size = 0
  const end = items.findIndex(({ file }, i) => i >= BATCH_FILES || (size += Number(file?.stats.size)) > BATCH_SIZE)

  return items.splice(0, end === -1 ? items.length : Math.max(1, end))
}

interface Item {
  candidate: Candidate
  file?: TreeFile | undefined
  before?: KnownFile | undefined
  isUnchanged: boolean
  dictionary?: SharedDictionary | undefined
  written?: WrittenFile & { isSame?: boolean } | undefined
}

function toWrite ({ candidate, file, dictionary }: Item): FileToWrite[] {
  return file == null ? [] : [{ file, metadata: candidate, dictionary }]
}

/** Candidates that follow each other, which are looked at together. */
class Batch {
  readonly #options: WriteAheadOptions
  readonly #items: Item[] = []
  readonly #window: DictionaryWindow | undefined
  /** Small files that are to be written, and their bytes. */
  #files = 0
  #size = 0

  constructor (options: WriteAheadOptions) {
    this.#options = options
    this.#window = options.small?.dictionaries === true ? new DictionaryWindow() : undefined
  }

  get isFull (): boolean {
    return this.#window?.isFull ?? (this.#isWorthThread || this.#items.length >= BATCH_CANDIDATES)
  }

  /** Whether a thread is worth its start. */
  get #isWorthThread (): boolean {
    return this.#files >= BATCH_FILES || this.#size >= BATCH_SIZE
  }

  /** How many candidates there are. */
  get size (): number {
    return this.#items.length
  }

  push (candidate: Candidate, file: TreeFile | undefined, before: KnownFile | undefined): void {
    const item: Item = {
      candidate, file, before, isUnchanged: file != null && before != null && KnownFiles.isUnchanged(file, before)
    }

    if (this.#isSmall(item) || this.#isLarge(item)) {
      this.#files++
      this.#size += Number(file?.stats.size)
    }

    this.#window?.add(Number(file?.stats.size ?? 0))
    this.#items.push(item)
  }

  async write (): Promise<AddCandidate[]> {
    await this.#takeKnown()
    await Promise.all([this.#writeSmall(), this.#writeLarge()])

    const candidates: AddCandidate[] = []
    let last: { path: string, written: WrittenFile[] } | undefined

    for (const { candidate, file, before, isUnchanged, written } of this.#items) {
      const path = candidate.path ?? ''

      if (file != null) {
        this.#options.known?.expect(path, { file, before, isTaken: isUnchanged, blocks: written?.blocks })
      }

      if (written == null) {
        candidates.push(candidate)
        last = undefined
        continue
      }

      const directory = path.slice(0, path.lastIndexOf('/'))

      if (last?.path !== directory) {
        last = { path: directory, written: [] }
        candidates.push(last)
      }

      last.written.push(written)
    }

    return candidates
  }

  #isSmall ({ file, isUnchanged, written }: Item): boolean {
    const { small } = this.#options

    return small != null && file != null && !isUnchanged && written == null && file.stats.size <= small.maxSize
  }

  #isLarge (item: Item): boolean {
    const { file, isUnchanged, written } = item
    const { small } = this.#options

    return small != null && file != null && !isUnchanged && written == null && !this.#isSmall(item) &&
      file.stats.size <= small.maxLargeSize
  }

  /** Take the files that did not change, if their blocks are there. */
  async #takeKnown (): Promise<void> {
    const unchanged = this.#items.filter(({ isUnchanged }) => isUnchanged)

    if (unchanged.length === 0) {
      return
    }

    const written = await this.#options.known?.written(unchanged as UnchangedFile[])

    for (const [i, item] of unchanged.entries()) {
      item.written = written?.[i]
      item.isUnchanged = item.written != null
      this.#read(item, Number(item.file?.stats.size))
    }
  }

  async #writeSmall (): Promise<void> {
    const { small } = this.#options
    const items = this.#items.filter(item => this.#isSmall(item))

    const isWorthThread = this.#isWorthThread || items.length >= BATCH_FILES || small?.dictionaries === true

    if (small == null || items.length === 0 || !(isWorthThread || small.isOpen)) {
      return
    }

    if (small.dictionaries) {
      await this.#train(items, small.open())
    }

    const work = async (): Promise<void> => {
      while (items.length > 0) {
        await this.#writeBatch(takeBatch(items), small.open())
      }
    }

    // more than a batch of them if they get dictionaries, or are known, but not all of their blocks are there
    await Promise.all(Array.from({ length: small.dictionaries ? BATCHES * small.threads : 1 }, work))
  }

  /** Make dictionaries. Files with the same one then follow each other, so that a thread prepares it once for them. */
  async #train (items: Item[], files: SmallFiles): Promise<void> {
    const sharing = items.filter(({ file }) => mayHaveDictionary(Number(file?.stats.size)))
    const dictionaries = await files.train(sharing.flatMap(toWrite))
    const order = new Map([...new Set(dictionaries)].map((dictionary, i) => [dictionary, i]))

    for (const [i, item] of sharing.entries()) {
      item.dictionary = dictionaries[i]
    }

    items.sort((a, b) => (order.get(a.dictionary) ?? -1) - (order.get(b.dictionary) ?? -1))
  }

  async #writeBatch (items: readonly Item[], files: SmallFiles): Promise<void> {
    const results = await files.write(items.flatMap(toWrite))

    for (const [i, item] of items.entries()) {
      item.written = results[i]
      this.#read(item, results[i]?.bytes ?? 0)

      if (item.file != null) {
        item.file.isSame = results[i]?.isSame === true
      }
    }
  }

  async #writeLarge (): Promise<void> {
    const { small } = this.#options
    const items = this.#items.filter(item => this.#isLarge(item))

    await Promise.all(items.map(async item => {
      const { candidate, file } = item

      if (small == null || file == null || !(small.isOpen || file.stats.size >= LARGE_ENOUGH)) {
        return
      }

      let bytes = 0

      const onRead = (read: number): void => {
        bytes += read
        file.events.onRead(file.path, read)
      }

      item.written = await small.open().writeLarge({ file, metadata: candidate }, onRead)
      file.isSame = item.written?.isSame === true

      if (item.written == null) {
        // it is read again
        onRead(-bytes)
      }
    }))
  }

  #read ({ file, written }: Item, bytes: number): void {
    if (file != null && written != null) {
      file.events.onRead(file.path, bytes)
    }
  }
}
