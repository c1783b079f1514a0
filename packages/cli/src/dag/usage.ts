import { decodeNode, isIdentity, listDirectory, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { walkDag } from './dag-walk.ts'
import { Reached } from './reached.ts'
import { MultihashMap } from './multihash-map.ts'
import { readBlock } from './read-block.ts'
import { WaitingBlocks } from './waiting-blocks.ts'
import type { WalkStore } from './dag-walk.ts'
import type { DirectoryLink, FileNode, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What a DAG takes. */
export interface Usage {
  /** Original bytes of the files. */
  size: number
  /** Bytes of the blocks. */
  storedSize: number
  blocks: number
  /** Files that another tool compressed: the bytes that they have stored count as original ones. */
  unknownSizes: number
}

export interface UsageInit {
  blockstore: WalkStore
  /** Reads the roots of files. */
  files: Pick<Ipfsz, 'stat' | 'blocks'>
  /** Called with the number of blocks that were counted since the last call. */
  onBlocks?: (blocks: number) => void
  signal: AbortSignal
}

/** Stands in a `MultihashMap` for what was counted. */
const COUNTED = 1

/**
 * Measures what DAGs take. Each block and each file counts once, where it is found first, however often it occurs.
 * Reads directories, the roots of files, and inner nodes; the sizes of leaves are those that the blocks above them
 * state. Memory grows with the number of blocks, by 50 bytes for each, but not with their depth.
 */
export class UsageMeter {
  readonly #init: UsageInit
  readonly #reached = new Reached()
  /** Files and directories whose original size has been counted. */
  readonly #sized = new MultihashMap()

  constructor (init: UsageInit) {
    this.#init = init
  }

  /**
   * Measure what a DAG adds to those that were measured before.
   *
   * @param statedSize - of a leaf, if a block above it states it
   * @throws {DamagedDagError} a block is missing, damaged, or not UnixFS
   * @throws the errors of `stat`
   */
  async add (cid: CID, statedSize?: number): Promise<Usage> {
    const root = unmark(cid)
    const usage: Usage = { size: 0, storedSize: 0, blocks: 0, unknownSizes: 0 }

    await this.#addBlocks(root, usage, statedSize)
    await this.#addSizes(cid, usage, statedSize)

    return usage
  }

  /** The entries of a directory, or undefined for everything else. */
  async list (cid: CID): Promise<AsyncIterable<DirectoryLink> | undefined> {
    const { files, signal } = this.#init

    if (unmark(cid).code === raw.code || (await files.stat(unmark(cid), { signal })).type !== 'directory') {
      return undefined
    }

    return listDirectory(await this.#node(unmark(cid)), files.blocks(unmark(cid)), { signal })
  }

  async #addBlocks (root: CID, usage: Usage, statedSize?: number): Promise<void> {
    const { blockstore, onBlocks, signal } = this.#init

    for await (const block of walkDag(root, blockstore, { signal, leaves: 'skip', reached: this.#reached })) {
      usage.blocks++
      usage.storedSize += block.bytes?.byteLength ?? block.statedSize ?? statedSize ?? await this.#leafSize(block.cid)
      onBlocks?.(1)
    }
  }

  async #addSizes (root: CID, usage: Usage, statedSize?: number): Promise<void> {
    const { signal } = this.#init
    const directories = new WaitingBlocks()
    const add = async (cid: CID, size?: number): Promise<void> => {
      if (!this.#isNew(cid)) {
        return
      }

      if (unmark(cid).code === raw.code) {
        usage.size += size ?? await this.#leafSize(cid)
      } else if (await this.#addFile(cid, usage)) {
        directories.push({ cid: unmark(cid), levels: 0, isNew: true })
      }
    }

    await add(root, statedSize)

    while (!directories.isEmpty) {
      for (const { cid } of directories.take()) {
        for await (const entry of await this.list(cid) ?? []) {
          signal.throwIfAborted()
          await add(entry.cid, entry.size)
        }
      }
    }
  }

  /** @returns whether it is a directory: then nothing is added */
  async #addFile (cid: CID, usage: Usage): Promise<boolean> {
    const { files, signal } = this.#init
    const plain = await files.stat(unmark(cid), { signal })

    if (plain.type === 'directory') {
      return true
    }

    const marked = plain.markedCid ?? (unmark(cid).equals(cid) ? undefined : cid)
    const { size, sizeKnown, unixfs } = marked == null ? plain : await files.stat(marked, { signal })

    usage.size += unixfs?.type === 'symlink' ? 0 : Number(size)
    usage.unknownSizes += sizeKnown === false ? 1 : 0

    return false
  }

  /** Whether the original size of a file or directory has not been counted. */
  #isNew (cid: CID): boolean {
    const { bytes } = cid.multihash

    if (this.#sized.get(bytes) != null) {
      return false
    }

    this.#sized.set(bytes, COUNTED)

    return true
  }

  async #node (cid: CID): Promise<FileNode> {
    const { files, signal } = this.#init

    return decodeNode(cid, await readBlock(cid, files.blocks(cid), { signal }))
  }

  async #leafSize (cid: CID): Promise<number> {
    const { files, signal } = this.#init

    return isIdentity(cid)
      ? cid.multihash.digest.byteLength
      : (await readBlock(cid, files.blocks(cid), { signal })).byteLength
  }
}
