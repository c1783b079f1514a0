import { realpath, stat } from 'node:fs/promises'
import { unmark } from '@ipfsz/core'
import { decodeCids } from '@ipfsz/utils/decode-cids'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { walkDag } from '../dag/dag-walk.ts'
import { identityOf, isSameIdentity, isSettled } from '../disk/file-identity.ts'
import { DamagedDagError } from '../errors.ts'
import { tellsChanges } from '../known-files/local-file-systems.ts'
import { TreeRecord } from '../known-files/tree-record.ts'
import type { BlockSink, ListedBlock } from './block-sink.ts'
import type { WrittenInTree } from '../disk/add-tree.ts'
import type { ExaminedFile } from '../disk/add-file.ts'
import type { KnownFile } from '../known-files/known-file.ts'
import type { WrittenFile } from '@ipfsz/core'

export interface KnownFilesInit {
  /** Where it is noted what is known. */
  directory: string
  /** All that decides what becomes of a file. */
  options: string
  /** Whether to use what is known. Undefined: on file systems where that is safe. */
  cache: boolean | undefined
  sink: BlockSink
  signal: AbortSignal
}

/** How many files are new, have changed, or are as they were when it was added before. */
export interface KnownCounts {
  new: number
  changed: number
  unchanged: number
}

interface KnownTree {
  record: TreeRecord
  /** Files on other devices, which are mounted into the tree, are not noted. */
  device: bigint
}

/** A file that did not change since it was added before. */
export interface UnchangedFile {
  file: ExaminedFile
  before: KnownFile
}

/** A file that is on its way. */
interface Expected {
  file: ExaminedFile
  record: TreeRecord
  before: KnownFile | undefined
  /** Whether it is taken as it is known. */
  isTaken: boolean
  /** Its blocks, if they are known. */
  blocks: readonly ListedBlock[] | undefined
}

/**
 * What is known of the files of trees that are added, or of one that is added alone, and what becomes known of them. It
 * only saves time: what cannot be read or written counts as unknown.
 */
export class KnownFiles {
  readonly #init: KnownFilesInit
  readonly #trees = new Map<ExaminedFile['tree'], KnownTree | undefined>()
  readonly #expected = new Map<string, Expected>()
  readonly #counts: KnownCounts = { new: 0, changed: 0, unchanged: 0 }
  #isDiscarded = false

  constructor (init: KnownFilesInit) {
    this.#init = init
  }

  /** Undefined if nothing was known. */
  get counts (): KnownCounts | undefined {
    return Array.from(this.#trees.values()).some(tree => tree?.record.hasOld) ? this.#counts : undefined
  }

  /** What is known of a file. To be asked in the order of a walk. At once if it is in memory. */
  find (file: ExaminedFile): KnownFile | undefined | Promise<KnownFile | undefined> {
    if (!this.#trees.has(file.tree)) {
      return this.#begin(file.tree).then(async () => this.find(file))
    }

    return this.#trees.get(file.tree)?.record.find(file.pathInTree)
  }

  /** Whether a file is as it is known. */
  static isUnchanged ({ stats }: ExaminedFile, { isSettled, identity }: KnownFile): boolean {
    return isSettled && isSameIdentity(identityOf(stats), identity)
  }

  /** The files whose blocks are all there, as they were written, and undefined for the others. */
  async written (files: readonly UnchangedFile[]): Promise<Array<WrittenFile | undefined>> {
    const cids = files.map(({ before }) => decodeCids(before.cid)[0])
    const blocks: Array<ListedBlock[] | undefined> = []

    for (const [i, { before }] of files.entries()) {
      const root = unmark(cids[i])
      blocks.push(before.isSingle
        ? [{ cid: root, size: Number(before.storedSize) }]
        : before.blocks?.map(({ cid, size }) => ({ cid: CID.decode(cid), size })) ?? await this.#blocksOf(root))
    }

    const stored = await this.#init.sink.has(blocks.flatMap(list => list?.map(({ cid }) => cid) ?? []))
    let at = 0

    return files.map(({ file: { name }, before: { dagSize, storedSize, onlyIpfsz } }, i) => {
      const own = blocks[i]
      const isWhole = own?.every((_, k) => stored[at + k]) === true
      at += own?.length ?? 0

      return isWhole
        ? { name, cid: cids[i], size: dagSize, repeated: Number(dagSize - storedSize), blocks: own, onlyIpfsz }
        : undefined
    })
  }

  /**
   * Take a file that is added alone as it is known. It is expected then, as the empty path.
   *
   * @returns undefined if it has to be read
   */
  async take (file: ExaminedFile): Promise<CID | undefined> {
    const before = await this.find(file)
    const isSame = before != null && KnownFiles.isUnchanged(file, before)
    const [written] = isSame ? await this.written([{ file, before }]) : []
    this.expect('', { file, before, isTaken: written != null, blocks: undefined })

    return written?.cid
  }

  /** A file is on its way to the importer, as `path`. */
  expect (
    path: string,
    { file, before, isTaken, blocks }: Omit<Expected, 'record'>
  ): void {
    const tree = this.#trees.get(file.tree)

    if (tree?.device === file.stats.dev) {
      this.#expected.set(path, { file, record: tree.record, before, isTaken, blocks })
    }
  }

  /** A file has been added. To be called in the order of a walk. */
  note (path: string, { cid, dagSize, storedSize, onlyIpfsz }: WrittenInTree): Promise<void> | undefined {
    const expected = this.#expected.get(path)
    this.#expected.delete(path)

    if (expected == null) {
      return undefined
    }

    const { file: { stats, examined, isSame, tree, pathInTree }, before, isTaken, blocks, record } = expected
    const isSingle = blocks?.length === 1 || cid.code === raw.code
    const isUnchanged = before != null && Buffer.compare(before.cid, cid.bytes) === 0
    this.#counts[before == null ? 'new' : isUnchanged ? 'unchanged' : 'changed']++

    try {
      record.add(pathInTree, isTaken && before != null ? before : {
        identity: identityOf(stats),
        isSettled: isSame && isSettled(stats, examined),
        cid: cid.bytes,
        dagSize,
        storedSize,
        isSingle,
        blocks: isSingle ? undefined : blocks?.map(({ cid, size }) => ({ cid: cid.bytes, size })),
        onlyIpfsz
      })

      return undefined
    } catch {
      return this.#forget(tree)
    }
  }

  /** Keep what became known. Call it when what was added is stored for good. */
  async commit (): Promise<void> {
    for (const tree of this.#trees.values()) {
      await tree?.record.commit().catch(() => {})
    }
  }

  /** Forget what became known. */
  async discard (): Promise<void> {
    // a record that is being opened is closed then
    this.#isDiscarded = true

    for (const tree of this.#trees.keys()) {
      await this.#forget(tree)
    }
  }

  async #begin (tree: ExaminedFile['tree']): Promise<void> {
    const { directory, options, cache } = this.#init
    const { path } = tree.root

    try {
      if (cache !== true && !await tellsChanges(path)) {
        this.#trees.set(tree, undefined)
        return
      }

      const { dev: device } = await stat(path, { bigint: true })
      const name = await realpath(path)
      const record = await TreeRecord.open({
        directory, options, tree: name, reads: cache !== false, now: Date.now()
      })
      this.#trees.set(tree, { record, device })

      if (this.#isDiscarded) {
        await this.#forget(tree)
      }
    } catch {
      // the repo cannot be written, or the disk is full
      this.#trees.set(tree, undefined)
    }
  }

  async #forget (tree: ExaminedFile['tree']): Promise<void> {
    const known = this.#trees.get(tree)
    this.#trees.set(tree, undefined)
    await known?.record.discard().catch(() => {})
  }

  /** All blocks of a file, without those of its leaves, which may be large. Undefined if one is missing or damaged. */
  async #blocksOf (root: CID): Promise<ListedBlock[] | undefined> {
    const { sink: { blockstore }, signal } = this.#init

    try {
      const blocks: ListedBlock[] = []

      for await (const block of walkDag(root, blockstore, { signal, leaves: 'skip' })) {
        blocks.push({ cid: block.cid, size: block.bytes?.byteLength ?? block.statedSize ?? 0 })
      }

      return blocks
    } catch (err) {
      if (err instanceof DamagedDagError) {
        return undefined
      }

      throw err
    }
  }
}
