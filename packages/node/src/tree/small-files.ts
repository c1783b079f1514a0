import * as dagPb from '@ipld/dag-pb'
import { readBlockSetting } from '../blocks/block-setting.ts'
import { sha256 } from 'multiformats/hashes/sha2'
import * as raw from 'multiformats/codecs/raw'
import { defaultThreads, ThreadPool, threadProgram } from '../threads/thread-pool.ts'
import { CID_LENGTH, MAX_BYTES, SMALL } from './protocol.ts'
import { MAX_SMALL_SIZE } from './walk-tree.ts'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import type { JoinedBlocks, SmallBlocks, SmallReply, SmallRequest, SmallTask } from './protocol.ts'
import type { FoundDirectory } from './walk-tree.ts'
import { blocksIn } from '../repo/repo.ts'
import type { Repo } from '../repo/repo.ts'
import type { DirectoryLink } from '@ipfsz/core'

/** From how many entries on a batch is worth threads, if there are none yet: starting them takes 100 ms. */
const MIN_BATCH = 64
/** Memory of the objects of a thread, in MiB: with more, it would collect its garbage later. */
const THREAD_MEMORY = 64

type BlocksOfRepo = Pick<Repo, 'packs' | 'path' | 'shared' | 'together'>

/**
 * What became of an entry. `left`: it is no small file, or something is wrong. Nothing was done, but a thread may have
 * read how many original bytes it has.
 */
export type SmallResult =
  | { type: 'left', size?: number }
  | { type: 'symlink' }
  | { type: 'directory', found: FoundDirectory }
  | { type: 'file', size: number, frames: number, leaf?: Uint8Array | undefined }

export const LEFT: SmallResult = { type: 'left' }

/** Reads small files of a repo in worker threads. Whatever they do not do is done the ordinary way. */
export class SmallFiles {
  readonly #repo: BlocksOfRepo
  readonly #threads: number
  #blocks: Promise<SmallBlocks | undefined> | undefined
  #pool: ThreadPool | undefined

  /** @param threads - how many there are at most */
  constructor (repo: BlocksOfRepo, threads = defaultThreads()) {
    this.#repo = repo
    this.#threads = threads
  }

  /** How many batches to have in progress, so that no thread waits. */
  get concurrency (): number {
    return 2 * this.#threads
  }

  /**
   * Read entries of directories.
   *
   * @param isMarked - whether the directories were reached by a tree CID, so that files are read decompressed
   * @param pathOf - where to write each
   * @throws {ThreadFailedError}
   */
  async run<Entry extends DirectoryLink> (
    task: SmallTask,
    entries: readonly Entry[],
    isMarked: boolean,
    pathOf?: (entry: Entry) => string
  ): Promise<SmallResult[]> {
    const results = entries.map(() => LEFT)
    const at = entries.flatMap((entry, i) => isReadable(entry) ? [i] : [])

    const blocks = this.#pool == null && entries.length < MIN_BATCH
      ? undefined
      : await (this.#blocks ??= smallBlocksOf(this.#repo))

    if (blocks == null) {
      return results
    }

    this.#pool ??= new ThreadPool({
      program: threadProgram('small-files.thread', import.meta.url),
      size: this.#threads,
      data: blocks,
      memory: THREAD_MEMORY
    })
    const roots = blocks.layout === 'sent'
      ? joinBlocks(await this.#repo.together?.getTogether(at.map(i => entries[i].cid), { maxBytes: MAX_BYTES }) ?? [])
      : undefined
    const cids = new Uint8Array(at.length * CID_LENGTH)
    at.forEach((i, n) => { cids.set(entries[i].cid.bytes, n * CID_LENGTH) })
    const reply = await this.#pool.thread().call<SmallRequest, SmallReply>({
      task,
      isMarked,
      cids,
      sizes: Float64Array.from(at, i => entries[i].size),
      roots,
      paths: pathOf && at.map(i => pathOf(entries[i]))
    }, roots && [roots.bytes.buffer as ArrayBuffer])
    let directories = 0

    for (const [n, i] of at.entries()) {
      const kind = reply.kinds[n]

      if (kind === SMALL.directory) {
        results[i] = { type: 'directory', found: { cid: entries[i].cid, metadata: reply.directories[directories++] } }
      } else if (kind === SMALL.symlink) {
        results[i] = { type: 'symlink' }
      } else if (kind === SMALL.file) {
        results[i] = { type: 'file', size: reply.sizes[n], frames: reply.frames[n] }
      } else if (reply.sizes[n] > 0) {
        results[i] = { type: 'left', size: reply.sizes[n] }
      }
    }

    reply.leafOf.forEach((n, k) => {
      Object.assign(results[at[n]], { leaf: reply.leaves.subarray(k * CID_LENGTH, (k + 1) * CID_LENGTH) })
    })

    return results
  }

  async close (): Promise<void> {
    await this.#pool?.close()
  }
}

function joinBlocks (blocks: ReadonlyArray<Uint8Array | undefined>): JoinedBlocks {
  const lengths = Int32Array.from(blocks, block => block?.byteLength ?? -1)
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + (block?.byteLength ?? 0), 0))
  let end = 0

  for (const block of blocks.filter(block => block != null)) {
    bytes.set(block, end)
    end += block.byteLength
    freeBytes(block)
  }

  return { bytes, lengths }
}

/** The bytes of an entry that is left: those of its blocks, or of its content if that has more. */
export function sizeOf (entry: DirectoryLink, result: SmallResult): number {
  return Math.max(entry.size, result.type === 'left' ? result.size ?? 0 : 0)
}

/** Whether threads can read the root of an entry. A raw block is read whole. */
function isReadable ({ cid, size }: DirectoryLink): boolean {
  const { version, code, multihash, bytes } = cid

  return version === 1 && bytes.byteLength === CID_LENGTH && multihash.code === sha256.code &&
    (code === dagPb.code || (code === raw.code && size <= MAX_SMALL_SIZE))
}

/** Undefined: threads cannot read the blocks of this repo. */
async function smallBlocksOf ({ path, packs, shared, together }: BlocksOfRepo): Promise<SmallBlocks | undefined> {
  if (shared != null) {
    return together == null ? undefined : { layout: 'sent' }
  }

  if (packs != null) {
    return { layout: 'packs', path: blocksIn(path) }
  }

  const { codec = 'none' } = (await readBlockSetting(path))?.compression ?? {}

  return codec === 'none' ? { layout: 'files', path: blocksIn(path) } : undefined
}
