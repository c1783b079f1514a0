import { mark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { IDENTITY_SIZE, identityOf } from '../disk/file-identity.ts'
import { ThreadPool, threadProgram } from '../threads/thread-pool.ts'
import { NUMBERS } from './small-files-protocol.ts'
import type { BlockSink } from './block-sink.ts'
import type { NewBlocks, ReadBatch, ReadFiles, TakeBlocks, ThreadData } from './small-files-protocol.ts'
import type { TreeFile } from '../disk/tree-file.ts'
import type { Candidate } from '../disk/tree-source.ts'
import type { WrittenFile } from '@ipfsz/core'

/** Bytes of a CID of a block: of version 1, with a hash of 32 bytes. */
const CID_SIZE = 36

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
}

export interface SmallFileResult extends WrittenFile {
  /** The size of the file, in bytes. */
  bytes: number
  /** Whether it is still what was examined. */
  isSame: boolean
}

/** Reads, compresses and stores small files in worker threads. Close it in the end. */
export class SmallFiles {
  readonly #pool: ThreadPool
  readonly #sink: BlockSink | undefined
  #batches = 0

  constructor ({ threads, sink, ...data }: SmallFilesInit) {
    this.#pool = new ThreadPool({
      program: threadProgram('add-files.thread', import.meta.url), size: threads, data, memory: THREAD_MEMORY
    })
    this.#sink = sink
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
    const blocks = Array.from(read.sizes, (size, i) =>
      ({ cid: CID.decode(read.cids.subarray(i * CID_SIZE, (i + 1) * CID_SIZE)), size }))
    const wanted = await this.#sink?.want(blocks) ?? []
    const isWanted = new Set(wanted)
    const take: TakeBlocks = {
      batch,
      wanted: Uint8Array.from(blocks, block => isWanted.has(block) ? 1 : 0),
      packed: this.#sink?.isPacked === true
    }
    const taken = await thread.call<TakeBlocks, NewBlocks>(take)

    if (wanted.length > 0) {
      await this.#sink?.put(wanted, taken)
    }

    return resultsOf(files, read.numbers, blocks)
  }

  async close (): Promise<void> {
    await this.#pool.close()
  }
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

  const hasMetadata = files.some(({ metadata: { mode, mtime } }) => mode != null || mtime != null)

  return {
    request: {
      directories,
      names: files.map(({ file }) => file.name),
      places,
      identities,
      metadata: hasMetadata ? files.map(({ metadata: { mode, mtime } }) => ({ mode, mtime })) : undefined
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

  return files.map(({ file: { name } }, i) => {
    const [count, bytes, size, marker, isSame, onlyIpfsz] = numbers.subarray(i * NUMBERS, (i + 1) * NUMBERS)
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
        onlyIpfsz: onlyIpfsz === 1
      }
  })
}
