import { DagMeter, isMarked, TREE_CODE, unmark } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { DamagedDagError } from '../errors.ts'
import { listLinks } from './list-links.ts'
import { MultihashSet } from './multihash-set.ts'
import type { DagMeterInit, DirectoryLink, Ipfsz, Measured } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface Usage {
  /** Original bytes of the files. */
  size: number
  /** Bytes of the blocks. */
  storedSize: number
  blocks: number
  /** Files that another tool compressed: the bytes that they have stored count as original ones. */
  unknownSizes: number
}

export interface UsageInit extends Pick<DagMeterInit, 'blockstore'> {
  /** Reads the roots of files. */
  files: Pick<Ipfsz, 'stat' | 'blocks'>
  /** Called with the number of blocks that were counted since the last call. */
  onBlocks?: (blocks: number) => void
  signal: AbortSignal
}

/**
 * Measures what DAGs take, as `DagMeter` does: each block and each file counts once, where it is found first. Reads
 * directories, the roots of files, and inner nodes; the sizes of leaves are those that the blocks above them state.
 * Memory grows with the number of blocks, by 50 bytes for each, and with the number of bases, by 300.
 */
export class UsageMeter {
  readonly #init: UsageInit
  readonly #meter: DagMeter

  constructor (init: UsageInit) {
    const { blockstore, onBlocks } = init
    this.#init = init
    this.#meter = new DagMeter({
      blockstore,
      makeSeen: () => new MultihashSet(),
      skipsLeaves: true,
      onBlock: () => { onBlocks?.(1) }
    })
  }

  /**
   * Measure what a DAG adds to those that were measured before, without the bases of its files.
   *
   * @param statedSize - of a leaf, if a block above it states it
   * @throws {DamagedDagError} a block is missing, damaged, or not UnixFS
   */
  async add (cid: CID, statedSize?: number): Promise<Usage> {
    const usage = await this.#measure(cid, async signal =>
      this.#meter.add(cid, { signal, ...statedSize == null ? {} : { statedSize } }))
    const isFile = isMarked(cid) && cid.code !== TREE_CODE
    const isUnknown = isFile && (await this.#init.files.stat(cid, { signal: this.#init.signal })).sizeKnown === false

    return { ...usage, unknownSizes: isUnknown && usage.size > 0 ? 1 : 0 }
  }

  /** Measure the bases of all that was measured, which nothing else counted. */
  async addBases (root: CID): Promise<Usage> {
    return this.#measure(root, async signal => this.#meter.addBases({ signal }))
  }

  /** The entries of a directory, or undefined for everything else. */
  async list (cid: CID): Promise<AsyncIterable<DirectoryLink> | undefined> {
    const { files, signal } = this.#init
    const plain = unmark(cid)

    if (plain.code === raw.code || (await files.stat(plain, { signal })).type !== 'directory') {
      return undefined
    }

    return listLinks(plain, files.blocks(plain), signal)
  }

  async #measure (root: CID, work: (signal: AbortSignal) => Promise<Measured>): Promise<Usage> {
    const { signal } = this.#init

    try {
      const { size, storedSize, blocks } = await work(signal)

      return { size: Number(size), storedSize: Number(storedSize), blocks, unknownSizes: 0 }
    } catch (err) {
      throw signal.aborted ? signal.reason : new DamagedDagError(unmark(root), err)
    }
  }
}
