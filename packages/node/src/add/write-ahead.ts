import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { TreeFile } from '../disk/tree-file.ts'
import { KnownFiles } from './known-files.ts'
import type { UnchangedFile } from './known-files.ts'
import type { FileToWrite, SmallFiles } from './small-files.ts'
import type { Candidate } from '../disk/tree-source.ts'
import type { KnownFile } from '../known-files/known-file.ts'
import type { AddCandidate, WrittenFile } from '@ipfsz/core'
import type { Settled } from '@ipfsz/utils/map-ordered'

/** Small files of a batch, and their bytes. */
const BATCH_FILES = 128
const BATCH_SIZE = 1024 * 1024
/** Candidates of a batch: directories, links and files that are known among them. */
const BATCH_CANDIDATES = 512

/** Batches in work, for each thread: while one is read, blocks of the other are stored. */
const BATCHES = 2

/** How small files are written. */
export interface SmallFilesOfTree {
  /** The most bytes of one. */
  readonly maxSize: number
  readonly threads: number
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
  const ahead: Array<Promise<Settled<AddCandidate[]>>> = []
  const maxAhead = BATCHES * (small?.threads ?? 1)
  let batch = new Batch(options)

  for await (const candidate of candidates) {
    const file = 'content' in candidate && candidate.content instanceof TreeFile ? candidate.content : undefined
    const found = file == null ? undefined : known?.find(file)
    batch.push(candidate, file, found instanceof Promise ? await found : found)

    if (batch.isFull) {
      ahead.push(settle(async full => full.write(), batch))
      batch = new Batch(options)
    }

    if (ahead.length > maxAhead) {
      yield * unwrap(await ahead.shift() as Settled<AddCandidate[]>)
    }
  }

  ahead.push(settle(async full => full.write(), batch))

  for (const written of ahead) {
    yield * unwrap(await written)
  }
}

/** The first of some items: one, or as many as a batch may have. */
function takeBatch (items: readonly Item[]): Item[] {
  let size = 0
  const end = items.findIndex(({ file }, i) => i >= BATCH_FILES || (size += Number(file?.stats.size)) > BATCH_SIZE)

  return items.slice(0, end === -1 ? items.length : Math.max(1, end))
}

interface Item {
  candidate: Candidate
  file?: TreeFile | undefined
  before?: KnownFile | undefined
  isUnchanged: boolean
  written?: WrittenFile | undefined
}

/** Candidates that follow each other, which are looked at together. */
class Batch {
  readonly #options: WriteAheadOptions
  readonly #items: Item[] = []
  /** Small files that are to be written, and their bytes. */
  #files = 0
  #size = 0

  constructor (options: WriteAheadOptions) {
    this.#options = options
  }

  get isFull (): boolean {
    return this.#isLarge || this.#items.length >= BATCH_CANDIDATES
  }

  /** Whether a thread is worth its start. */
  get #isLarge (): boolean {
    return this.#files >= BATCH_FILES || this.#size >= BATCH_SIZE
  }

  push (candidate: Candidate, file: TreeFile | undefined, before: KnownFile | undefined): void {
    const item: Item = {
      candidate, file, before, isUnchanged: file != null && before != null && KnownFiles.isUnchanged(file, before)
    }

    if (this.#isSmall(item)) {
      this.#files++
      this.#size += Number(file?.stats.size)
    }

    this.#items.push(item)
  }

  async write (): Promise<AddCandidate[]> {
    await this.#takeKnown()
    await this.#writeSmall()

    const candidates: AddCandidate[] = []
    let last: { path: string, written: WrittenFile[] } | undefined

    for (const { candidate, file, before, isUnchanged, written } of this.#items) {
      const path = candidate.path ?? ''

      if (file != null) {
        const isSingle = written?.blocks.length === 1
        this.#options.known?.expect(path, { file, before, isTaken: isUnchanged, isSingle })
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

    if (small == null || !(this.#isLarge || items.length >= BATCH_FILES || small.isOpen)) {
      return
    }

    // more than a batch of them if they are known, but not all of their blocks are there
    for (let rest = items; rest.length > 0;) {
      const next = takeBatch(rest)
      rest = rest.slice(next.length)
      const files = next.flatMap(({ candidate, file }): FileToWrite[] =>
        file == null ? [] : [{ file, metadata: candidate }])
      const results = await small.open().write(files)

      for (const [i, item] of next.entries()) {
        item.written = results[i]
        this.#read(item, results[i]?.bytes ?? 0)

        if (item.file != null) {
          item.file.isSame = results[i]?.isSame === true
        }
      }
    }
  }

  #read ({ file, written }: Item, bytes: number): void {
    if (file != null && written != null) {
      file.events.onRead(file.path, bytes)
    }
  }
}
