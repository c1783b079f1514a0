// Above 250 lines: the steps of one walk share its state.
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { MAX_DAG_DEPTH, MAX_OPEN_LINKS_SIZE } from '../constants.ts'
import { baseOf } from '../dag/base-link.ts'
import { cidKey, keyToCid } from '../dag/cid-key.ts'
import { isMissing } from '../dag/missing.ts'
import { decodeNode } from '../dag/node.ts'
import { fileSize } from '../dag/read.ts'
import { DagTooLargeError, InvalidDagError, notUnixFS } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { unmark } from '../marker.ts'
import { BlockCounter } from './block-counter.ts'
import { addTotals, isEntryLink, leafTotals, noTotals, ownTotals } from './dag-totals.ts'
import { headerOrNone } from './entry.ts'
import { findHeader } from './find-header.ts'
import { NodesAhead } from './nodes-ahead.ts'
import { SeenSet } from '../dag/seen-blocks.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { Measured } from './block-counter.ts'
import type { DagTotals, Totals } from './dag-totals.ts'
import type { PBLink } from '@ipld/dag-pb'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** What a node takes while its children are counted, besides its block. */
const OPEN_NODE_SIZE = 1024
/** Bytes of nodes that may be read for each block that may be counted: a small file is in its root. */
const NODE_SIZE = 16 * 1024
/** Stands for the user of a base that several files have. */
const SEVERAL = ''

export interface DagMeterInit {
  blockstore: GetStore & Pick<Blockstore, 'has'>
  /** The blocks that count no more. What is measured is added to them. */
  seen?: SeenBlocks
  makeSeen?: () => SeenBlocks
  /** Whether files are read decompressed, so that headers must be valid and totals have original sizes. */
  marked?: boolean
  /** Give up after so many blocks, or nodes of 16 KiB for each of them. */
  maxBlocks?: number | undefined
  /** Skip missing blocks instead of failing. */
  offline?: boolean | undefined
  /** Believe the sizes of leaves that the blocks above them state, without asking whether the blockstore has them. */
  skipsLeaves?: boolean
  /** Called for each block that counts. */
  onBlock?: () => void
}

export interface MeasureOptions extends GetBlockOptions {
  /** How many levels below the root to walk, by default all. */
  levels?: number
  /** Bytes of the root, if a block above it states them and it is a raw block. */
  statedSize?: number
}

/** A node whose children are being counted. */
interface OpenNode {
  node: FileNode
  totals: Totals
  /** Index of the next child, and of the last one that is not a base. */
  next: number
  end: number
  /** Levels below the root of its file, or below the first shard of its directory. */
  depth: number
  /** Levels that may be walked below it. */
  levels: number
  /** Whether it belongs to a compressed file. */
  isCompressed: boolean
}

/**
 * Measures the size of DAGs. This is what *stored* means everywhere: the bytes of a file's own blocks, or of all blocks
 * below a directory, each counted once. What a file refers back to, its base, is not its own. A base that several files
 * of a directory have, as a dictionary is, belongs to the directory.
 *
 * Uses its own stack, because a tree may be deeper than the engine's. A node that is linked again is not walked again:
 * a hostile DAG could make that endless. Memory grows with the number of different blocks, not with their size.
 */
export class DagMeter {
  readonly #init: DagMeterInit
  readonly #counter: BlockCounter
  readonly #nodes: NodesAhead
  /** The nodes that were walked as parts of files and directories, and as parts of bases. */
  readonly #walked: Readonly<Record<'own' | 'base', SeenBlocks>>
  /** The totals of nodes, where they are asked for. */
  readonly #known: Map<string, Totals> | undefined
  /** Who has each base of the root that is being measured: the root of one file, or `SEVERAL`. */
  #users = new Map<string, string>()
  /** The bases that were found, and whether they were measured. */
  readonly #bases = new Map<string, boolean>()
  /** Bytes of the nodes that were read, and of those that are open. */
  #nodesSize = 0
  #openSize = 0

  /** @param known - remembers the totals of all nodes, so that `add` returns them: they take 300 bytes for each */
  constructor (init: DagMeterInit, known?: Map<string, Totals>) {
    this.#init = init
    const makeSeen = init.makeSeen ?? ((): SeenBlocks => new SeenSet())
    const { seen = makeSeen(), maxBlocks, onBlock } = init
    this.#counter = new BlockCounter({ seen, sized: makeSeen(), maxBlocks, onBlock })
    this.#nodes = new NodesAhead(init.blockstore, seen)
    this.#walked = { own: makeSeen(), base: makeSeen() }
    this.#known = known
  }

  /**
   * Measure the own blocks of a file, or all below a directory, which were not counted before.
   *
   * @throws {InvalidDagError} there is more than can be counted, or a file is too deep
   * @throws {NotUnixFSError} a block is neither a file nor a directory
   * @throws {NotFoundError} a block is missing, and `offline` is not set
   * @throws {DagTooLargeError} there are more than `maxBlocks`
   */
  async add (root: CID | FileNode, options: MeasureOptions = {}): Promise<Measured & { totals: DagTotals }> {
    this.#counter.resetIncomplete()
    const before = this.#counter.counted
    const users = this.#users = new Map<string, string>()
    const totals = await this.#walk(root, options, false)
      .finally(() => { this.#note(users) })

    for (const [base, user] of users) {
      if (user === SEVERAL) {
        addTotals(totals, await this.#addBase(base, options), false)
      }
    }

    return { ...this.#counter.since(before), totals }
  }

  /** Measure the bases of what was measured before: what reading it alone takes besides. */
  async addBases (options: MeasureOptions = {}): Promise<Measured & { totals: DagTotals }> {
    const before = this.#counter.counted
    const totals = noTotals()

    // a hostile base has bases too: they are appended
    for (const base of this.#bases.keys()) {
      addTotals(totals, await this.#addBase(base, options), false)
    }

    return { ...this.#counter.since(before), totals }
  }

  /** All that was counted so far, in calls that failed too. */
  get counted (): Measured {
    return this.#counter.counted
  }

  async #addBase (base: string, options: MeasureOptions): Promise<Totals | undefined> {
    if (this.#bases.get(base) === true) {
      return undefined
    }

    const users = this.#users = new Map<string, string>()
    this.#bases.set(base, true)

    return this.#known?.get(base) ?? await this.#walk(keyToCid(base), { ...options, levels: Infinity }, true)
      .finally(() => { this.#note(users) })
  }

  #note (users: ReadonlyMap<string, string>): void {
    for (const base of users.keys()) {
      this.#bases.set(base, this.#bases.get(base) ?? false)
    }
  }

  async #walk (start: CID | FileNode, options: MeasureOptions, isBase: boolean): Promise<Totals> {
    const { levels = Infinity, statedSize } = options
    const stack: OpenNode[] = []
    const isCid = !('unixfs' in start)
    const opened = isCid
      ? await this.#open({ Hash: unmark(start), Tsize: statedSize, Name: '' }, false, options)
      : start

    if (opened == null || 'blocks' in opened) {
      if (opened != null && !isBase) {
        this.#counter.addFile(unmark(start as CID), undefined, opened.fileSize)
      }

      return opened ?? noTotals()
    }

    this.#openSize = 0
    stack.push(this.#enter(opened, { isEntry: true, depth: 0, levels, isCompressed: false, isBase }))

    for (;;) {
      options.signal?.throwIfAborted()
      const open = stack[stack.length - 1]
      const { node, totals } = open

      if (open.next === open.end) {
        if (totals.blocks > Number.MAX_SAFE_INTEGER) {
          throw new InvalidDagError(node.cid, 'has more than 2^53 blocks below it')
        }

        this.#known?.set(cidKey(node.cid), totals)
        stack.pop()
        this.#openSize -= node.length + OPEN_NODE_SIZE

        if (stack.length === 0) {
          return totals
        }

        const parent = stack[stack.length - 1]
        addTotals(parent.totals, totals, isEntryLink(parent.node, parent.node.links.at(parent.next)))
        parent.next++
        continue
      }

      const link = node.links.at(open.next)
      const isEntry = isEntryLink(node, link)
      const known = this.#known == null ? this.#skipped(link, isBase) : this.#known.get(cidKey(link.Hash))

      if (known == null) {
        this.#nodes.begin(node, open.next, open.end, options)
      } else {
        this.#nodes.drop(link.Hash)
      }

      const child = known ?? await this.#open(link, open.isCompressed && !isEntry, options)

      if (child == null || 'blocks' in child) {
        addTotals(totals, child, isEntry)
        open.next++

        if (isEntry && child != null && link.Hash.code === raw.code) {
          this.#counter.addFile(link.Hash, undefined, child.fileSize)
        }
      } else if (!isEntry && open.depth >= MAX_DAG_DEPTH) {
        throw new InvalidDagError(link.Hash, `is more than ${MAX_DAG_DEPTH} levels below the root`)
      } else {
        const { isCompressed, depth, levels } = open

        stack.push(this.#enter(child, isEntry
          ? { isEntry, depth: 0, levels: levels - 1, isCompressed: false, isBase }
          : { isEntry, depth: depth + 1, levels: levels - 1, isCompressed, isBase }))
      }
    }
  }

  /** Without totals, a node that was walked need not even be read. */
  #skipped ({ Hash: cid }: PBLink, isBase: boolean): Totals | undefined {
    return cid.code === dagPb.code && this.#walked[isBase ? 'base' : 'own'].has(cid) ? noTotals() : undefined
  }

  /** A node to walk, the totals of a leaf, or undefined if it is missing and may be skipped. */
  async #open (
    { Hash: cid, Tsize: size = 0 }: PBLink,
    isCompressed: boolean,
    options: MeasureOptions
  ): Promise<FileNode | Totals | undefined> {
    // like in Helia, blocks of other codecs are not part of a UnixFS DAG
    if (cid.code !== dagPb.code && cid.code !== raw.code) {
      throw notUnixFS(cid)
    }

    const { blockstore, offline, skipsLeaves } = this.#init

    try {
      // a leaf in the blockstore need not be read to know its length
      const isStated = cid.code === raw.code && size > 0 &&
        (skipsLeaves === true || await blockstore.has(cid, options as Parameters<Blockstore['has']>[1]))
      const block = isStated ? undefined : await this.#nodes.get(cid, options)

      if (cid.code === dagPb.code && block != null) {
        return decodeNode(cid, block)
      }

      const length = block?.byteLength ?? size
      this.#counter.addBlock(cid, length, isCompressed)

      return leafTotals(length)
    } catch (err) {
      if (offline === true && isMissing(err)) {
        this.#counter.addMissing(cid, size)
        return undefined
      }

      throw err
    }
  }

  #enter (
    node: FileNode,
    { isEntry, isBase, ...place }: Pick<OpenNode, 'depth' | 'levels' | 'isCompressed'> &
      { isEntry: boolean, isBase: boolean }
  ): OpenNode {
    const { maxBlocks = Infinity } = this.#init
    const header = isEntry ? this.#headerOf(node) : undefined
    const based = header != null && hasBase(header)
    const isCompressed = place.isCompressed || header != null
    const totals = ownTotals(node, this.#init.marked === true ? header : undefined)

    if (based && place.levels === Infinity) {
      const base = cidKey(baseOf(node))
      const user = this.#users.get(base) ?? cidKey(node.cid)
      this.#users.set(base, user === cidKey(node.cid) ? user : SEVERAL)
    }

    this.#openSize += node.length + OPEN_NODE_SIZE
    this.#nodesSize += node.length

    if (this.#openSize > MAX_OPEN_LINKS_SIZE) {
      throw new InvalidDagError(node.cid, `has more than ${MAX_OPEN_LINKS_SIZE} bytes of nodes above it`)
    }

    if (this.#nodesSize > maxBlocks * NODE_SIZE) {
      throw new DagTooLargeError(maxBlocks)
    }

    this.#counter.addBlock(node.cid, node.length, isCompressed)

    if (place.levels === Infinity) {
      this.#walked[isBase ? 'base' : 'own'].add(node.cid)
    }

    if (isEntry && !isBase && !node.unixfs.isDirectory()) {
      const size = node.unixfs.type === 'symlink' ? 0 : header?.size ?? fileSize(node)
      this.#counter.addFile(node.cid, header, BigInt(size))
    }

    // the last link is the base
    const end = place.levels > 0 ? node.links.length - (based ? 1 : 0) : 0

    return { node, totals, next: 0, end, ...place, isCompressed }
  }

  #headerOf (node: FileNode): Header | undefined {
    if (node.unixfs.isDirectory()) {
      return undefined
    }

    return this.#init.marked === true ? findHeader(node) : headerOrNone(node)
  }
}
