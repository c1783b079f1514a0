import { ThreadPool, threadProgram } from '../threads/thread-pool.ts'
import { largeResult, listBlocks, requestOf, resultsOf } from './small-files-messages.ts'
import type { BlockSink, ListedBlock } from './block-sink.ts'
import type { FileToWrite, SmallFileResult } from './small-files-messages.ts'
import type {
  LargeBlocks, NewBlocks, ReadBatch, ReadFiles, ReadLarge, TakeBlocks, ThreadData, TrainedFiles, TrainFiles
} from './small-files-protocol.ts'
import type { Thread } from '../threads/thread-pool.ts'
import type { SharedDictionary } from '@ipfsz/core/small-files'

/** Memory for the blocks of a batch, or of a step of a large file. */
const PACK_MEMORY = 2 * 1024 * 1024 + 64 * 1024

/** Memory of the objects of a thread, in MiB: with more, it would collect its garbage later. */
const THREAD_MEMORY = 64

export interface SmallFilesInit extends ThreadData {
  /** How many threads there are at most. */
  threads: number
  /** Where the blocks go. Undefined: only the CIDs of files are wanted. */
  sink: BlockSink | undefined
}

/** Blocks that were asked for. */
interface Taking {
  wanted: ListedBlock[]
  taken: Promise<NewBlocks>
  memory: Uint8Array | undefined
}

/** Reads, compresses and stores files in worker threads. Close it in the end. */
export class SmallFiles {
  readonly #pool: ThreadPool
  readonly #sink: BlockSink | undefined
  readonly #threads: number
  /** Makes all dictionaries: what looks for them takes 45 MB in each thread. */
  #trainer: Thread | undefined
  #batches = 0
  /** Threads with a large file in work, and the files that wait for one. */
  readonly #withLarge = new Set<Thread>()
  readonly #waiting: Array<() => void> = []
  /** Shared memory that is not in use: as garbage, what threads send would be there much longer. */
  readonly #free: Uint8Array[] = []

  constructor ({ threads, sink, ...data }: SmallFilesInit) {
    this.#pool = new ThreadPool({
      program: threadProgram('add-files.thread', import.meta.url), size: threads, data, memory: THREAD_MEMORY
    })
    this.#sink = sink
    this.#threads = threads
  }

  /**
   * Store files.
   *
   * @returns undefined for each that has to be added in the ordinary way
   * @throws {ThreadFailedError}
   */
  async write (files: readonly FileToWrite[]): Promise<Array<SmallFileResult | undefined>> {
    const batch = this.#batches++
    const thread = this.#pool.thread()
    const { request, release } = await requestOf(files)
    const read = await thread.call<ReadBatch, ReadFiles>({ batch, ...request }).finally(release)
    const blocks = listBlocks(read)
    await this.#put(await this.#take(thread, batch, blocks))

    return resultsOf(files, read.numbers, blocks)
  }

  /**
   * Make dictionaries for files, and store them.
   *
   * @returns that of each file. Undefined if it gets none
   * @throws {ThreadFailedError}
   */
  async train (files: readonly FileToWrite[]): Promise<Array<SharedDictionary | undefined>> {
    const batch = this.#batches++
    const thread = this.#trainer ??= this.#pool.thread()
    const { request: { metadata: _, ...request }, release } = await requestOf(files)
    const paths = files.map(({ file: { path } }) => path)
    const trained = await thread.call<TrainFiles, TrainedFiles>({ batch, paths, ...request }).finally(release)
    await this.#put(await this.#take(thread, batch, listBlocks(trained)))

    return Array.from(trained.assigned, i => trained.dictionaries[i])
  }

  /**
   * Store a large file, step by step. Each thread has one in work at a time: it takes some 10 MiB.
   *
   * @param onRead - called with how many bytes were read
   * @returns undefined if it has to be added in the ordinary way
   * @throws {ThreadFailedError}
   */
  async writeLarge (
    { file, metadata }: FileToWrite,
    onRead: (bytes: number) => void
  ): Promise<SmallFileResult | undefined> {
    const thread = await this.#turn()

    try {
      const { directory, release } = await file.tree.hold(file.below)
      const large = this.#batches++
      const path = `${directory.path}/${file.name}`
      const { mode, mtime } = metadata
      let batch = large
      let bytes = 0
      let step = thread.call<ReadLarge, LargeBlocks>({ batch, large, path, metadata: { mode, mtime } }).finally(release)
      const all: ListedBlock[] = []

      for (;;) {
        const { read, end, ...listed } = await step
        const blocks = listBlocks(listed)
        const taking = await this.#take(thread, batch, blocks)
        bytes += read
        onRead(read)
        all.push(...blocks)

        if (end != null) {
          await this.#put(taking)

          return largeResult(file, end, bytes, all)
        }

        // while the blocks of this one are stored
        batch = this.#batches++
        step = thread.call<ReadLarge, LargeBlocks>({ batch, large })
        step.catch(() => {})
        await this.#put(taking)
      }
    } finally {
      this.#withLarge.delete(thread)
      this.#waiting.shift()?.()
    }
  }

  /** Ask for the blocks that are wanted. */
  async #take (
    thread: Thread,
    batch: number,
    blocks: readonly ListedBlock[]
  ): Promise<Taking> {
    const wanted = await this.#sink?.want(blocks) ?? []
    const isWanted = new Set(wanted)
    const packing = this.#sink?.packing
    const memory = packing && (this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(PACK_MEMORY)))
    const taken = thread.call<TakeBlocks, NewBlocks>({
      batch,
      wanted: Uint8Array.from(blocks, block => isWanted.has(block) ? 1 : 0),
      packing: packing && { ...packing, memory }
    })

    return { wanted, taken, memory }
  }

  async #put ({ wanted, taken, memory }: Taking): Promise<void> {
    const blocks = await taken

    if (wanted.length > 0) {
      await this.#sink?.put(wanted, blocks)
    }

    if (memory != null) {
      this.#free.push(memory)
    }
  }

  /** Wait for a thread that has no large file in work. */
  async #turn (): Promise<Thread> {
    while (this.#withLarge.size >= this.#threads) {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    const thread = this.#pool.thread(this.#withLarge)
    this.#withLarge.add(thread)

    return thread
  }

  async close (): Promise<void> {
    await this.#pool.close()
  }
}
