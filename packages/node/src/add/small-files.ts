import { mark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { isTorn } from '../disk/file-content.ts'
import { IDENTITY_SIZE, identityOf, isSameIdentity } from '../disk/file-identity.ts'
import { ThreadPool, threadProgram } from '../threads/thread-pool.ts'
import { NUMBERS } from './small-files-protocol.ts'
import type { BlockSink, ListedBlock } from './block-sink.ts'
import type {
  LargeBlocks, LargeFileEnd, NewBlocks, ReadBatch, ReadFiles, ReadLarge, TakeBlocks, ThreadData, TrainedFiles,
  TrainFiles
} from './small-files-protocol.ts'
import type { Thread } from '../threads/thread-pool.ts'
import type { TreeFile } from '../disk/tree-file.ts'
import type { Candidate } from '../disk/tree-source.ts'
import type { WrittenFile } from '@ipfsz/core'
import type { SharedDictionary } from '@ipfsz/core/small-files'

/** Bytes of a CID of a block: of version 1, with a hash of 32 bytes. */
const CID_SIZE = 36

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

/** A file of a tree, and its metadata if that is preserved. */
export interface FileToWrite {
  file: TreeFile
  metadata: Pick<Candidate, 'mode' | 'mtime'>
  dictionary?: SharedDictionary | undefined
}

export interface SmallFileResult extends WrittenFile {
  /** The size of the file, in bytes. */
  bytes: number
  /** Whether it is still what was examined. */
  isSame: boolean
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
  /** How many large files are in work, and those that wait. */
  #large = 0
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
   * Store a large file, step by step. As many are in work at a time as there are threads: each takes memory.
   *
   * @param onRead - called with how many bytes were read
   * @returns undefined if it has to be added in the ordinary way
   * @throws {ThreadFailedError}
   */
  async writeLarge (
    { file, metadata }: FileToWrite,
    onRead: (bytes: number) => void
  ): Promise<SmallFileResult | undefined> {
    await this.#turn()

    try {
      const thread = this.#pool.thread()
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
      this.#large--
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

  /** Wait for the turn of a large file. */
  async #turn (): Promise<void> {
    while (this.#large >= this.#threads) {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    this.#large++
  }

  async close (): Promise<void> {
    await this.#pool.close()
  }
}

function listBlocks ({ cids, sizes }: Pick<ReadFiles, 'cids' | 'sizes'>): ListedBlock[] {
  return Array.from(sizes, (size, i) =>
    ({ cid: CID.decode(cids.subarray(i * CID_SIZE, (i + 1) * CID_SIZE)), size }))
}

/** Hold the directories of files, as long as they are read. */
async function requestOf (
  files: readonly FileToWrite[]
): Promise<{ request: Omit<ReadBatch, 'batch'>, release: () => void }> {
  const releases: Array<() => void> = []
  const directories: string[] = []
  const places = new Uint32Array(files.length)
  const identities = new BigInt64Array(files.length * IDENTITY_SIZE)
  let last: TreeFile | undefined

  const release = (): void => { releases.forEach(each => { each() }) }

  try {
    for (const [i, { file }] of files.entries()) {
      // those of a directory follow each other, but for what is below it
      if (last?.below !== file.below || last.tree !== file.tree) {
        const held = await file.tree.hold(file.below)
        releases.push(held.release)
        directories.push(held.directory.path)
      }

      places[i] = directories.length - 1
      identities.set(identityOf(file.stats), i * IDENTITY_SIZE)
      last = file
    }
  } catch (err) {
    release()
    throw err
  }

  const dictionaries = [...new Set(files.flatMap(({ dictionary }) => dictionary ?? []))]
  const hasMetadata = files.some(({ metadata: { mode, mtime } }) => mode != null || mtime != null)

  return {
    request: {
      directories,
      names: files.map(({ file }) => file.name),
      places,
      identities,
      metadata: hasMetadata ? files.map(({ metadata: { mode, mtime } }) => ({ mode, mtime })) : undefined,
      ...dictionaries.length === 0
        ? {}
        : {
          dictionaries,
          assigned: Int32Array.from(files, ({ dictionary: own }) => dictionaries.findIndex(each => each === own))
        }
    },
    release
  }
}

function resultsOf (
  files: readonly FileToWrite[],
  numbers: Uint32Array,
  blocks: ReadonlyArray<{ cid: CID, size: number }>
): Array<SmallFileResult | undefined> {
  let at = 0

  return files.map(({ file: { name }, dictionary }, i) => {
    const [count, bytes, size, marker, isSame, onlyIpfsz, hasDictionary] =
      numbers.subarray(i * NUMBERS, (i + 1) * NUMBERS)
    const own = blocks.slice(at, at += count)
    const root = own.at(-1)?.cid

    return root == null
      ? undefined
      : {
        name,
        cid: marker === 0 ? root : mark(root, marker),
        size: BigInt(size),
        blocks: own,
        bytes,
        isSame: isSame === 1,
        onlyIpfsz: onlyIpfsz === 1,
        ...dictionary == null || hasDictionary === 0
          ? {}
          : { dictionary: { cid: CID.decode(dictionary.cid), size: dictionary.dagSize } }
      }
  })
}

function largeResult (
  { name, path, stats, events }: TreeFile,
  { encoded, identity: [size, mtimeNs, ctimeNs, ino] }: LargeFileEnd,
  bytes: number,
  blocks: ListedBlock[]
): SmallFileResult | undefined {
  if (encoded == null) {
    return undefined
  }

  const after = { size, mtimeNs, ctimeNs, ino: BigInt.asUintN(64, ino) }

  if (isTorn(stats, after)) {
    events.onChanged(path)
  }

  return {
    name,
    cid: encoded.marker == null ? CID.decode(encoded.cid) : mark(CID.decode(encoded.cid), encoded.marker),
    size: BigInt(encoded.dagSize),
    blocks,
    bytes,
    isSame: isSameIdentity(identityOf(after), identityOf(stats)),
    onlyIpfsz: encoded.onlyIpfsz
  }
}
