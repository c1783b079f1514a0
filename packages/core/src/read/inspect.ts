import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { MAX_DAG_DEPTH } from '../constants.ts'
import { InvalidDagError, NotUnixFSError } from '../errors.ts'
import { getBlock } from '../dag/block.ts'
import { isMissing } from '../dag/missing.ts'
import { decodeNode } from '../dag/node.ts'
import { prefixLength } from '../directory/shard-place.ts'
import { isSharded } from '../directory/shards.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ExtendedStatOptions } from '@helia/unixfs'
import type { PBLink } from '@ipld/dag-pb'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The size of a DAG, in the terms of Helia's extended stat. */
interface DagStats {
  blocks: bigint
  dagSize: bigint
  localSize: bigint
  uniqueBlocks: bigint
  deduplicatedDagSize: bigint
  /** Bytes of all files in a directory. */
  filesSize: bigint
}

interface InspectOptions extends GetBlockOptions {
  /** Skip missing blocks instead of failing. */
  offline?: boolean
  filter?: ExtendedStatOptions['filter']
  /** Bytes of a file inside the inspected directory, given its root. */
  sizeOf (node: FileNode): number
}

type Store = GetStore & Pick<Blockstore, 'has'>

/** The totals of a node and everything below it. */
interface Totals {
  blocks: bigint
  dagSize: bigint
  localSize: bigint
  filesSize: bigint
  /** Bytes of the file, if the node belongs to one. */
  fileSize: bigint
}

/** A node whose children are being counted. */
interface OpenNode {
  node: FileNode
  totals: Totals
  /** Index of the next child. */
  next: number
  /** Levels below the root of its file, or below the first shard of its directory. */
  depth: number
}

/**
 * Walk everything below a root and count it. Uses its own stack, because a tree may be deeper
 * than the engine's. A node that is linked again counts again but is not walked again: a
 * hostile DAG could make that endless.
 *
 * @throws {InvalidDagError} there is more than can be counted, or a file is too deep
 * @throws {NotFoundError} a block is missing, and `offline` is not set
 */
export async function inspectDag (root: FileNode, blockstore: Store, options: InspectOptions): Promise<DagStats> {
  const known = new Map<string, Totals>()
  const unique = new UniqueBlocks(options.filter)
  const stack: OpenNode[] = []

  const enter = (node: FileNode, depth: number): void => {
    unique.add(node.cid, node.length)
    stack.push({ node, totals: ownTotals(node, options), next: 0, depth })
  }

  enter(root, 0)

  for (;;) {
    const open = stack[stack.length - 1]
    const { node, totals } = open

    if (open.next === node.links.length) {
      if (totals.blocks > Number.MAX_SAFE_INTEGER) {
        throw new InvalidDagError(node.cid, 'exceeds the limit of 2^53 blocks below it')
      }

      known.set(node.cid.toString(), totals)
      stack.pop()

      if (stack.length === 0) {
        const { fileSize: _, ...stats } = totals

        return { ...stats, uniqueBlocks: unique.blocks, deduplicatedDagSize: unique.size }
      }

      // the parent now looks at the same link again and finds these totals
      continue
    }

    const link = node.links.at(open.next)
    const isEntry = isEntryLink(node, link)
    const child = known.get(link.Hash.toString()) ?? await inspectChild(link, unique, blockstore, options)

    if (child == null || 'blocks' in child) {
      addTotals(totals, child, isEntry)
      open.next++
    } else if (!isEntry && open.depth >= MAX_DAG_DEPTH) {
      throw new InvalidDagError(link.Hash, `is more than ${MAX_DAG_DEPTH} levels below the root`)
    } else {
      enter(child, isEntry ? 0 : open.depth + 1)
    }
  }
}

/** A node to walk, the totals of a leaf, or undefined if it is missing and may be skipped. */
async function inspectChild (
  { Hash: cid, Tsize: size = 0 }: PBLink,
  unique: UniqueBlocks,
  blockstore: Store,
  options: InspectOptions
): Promise<FileNode | Totals | undefined> {
  // like in Helia, blocks of other codecs are not part of a UnixFS DAG
  if (cid.code !== dagPb.code && cid.code !== raw.code) {
    throw new NotUnixFSError(cid, `it has the codec 0x${cid.code.toString(16)}`)
  }

  try {
    // a leaf in the blockstore need not be read to know its length
    const isHere = cid.code === raw.code && size > 0 &&
      await blockstore.has(cid, options as Parameters<Store['has']>[1])
    const length = isHere ? size : undefined
    const block = length == null ? await getBlock(cid, blockstore, options) : undefined

    if (cid.code === dagPb.code && block != null) {
      return decodeNode(cid, block)
    }

    const leafSize = length ?? block?.byteLength ?? 0
    unique.add(cid, leafSize)

    return leafTotals(leafSize)
  } catch (err) {
    if (options.offline === true && isMissing(err)) {
      return undefined
    }

    throw err
  }
}

function leafTotals (length: number): Totals {
  const size = BigInt(length)

  return { blocks: 1n, dagSize: size, localSize: size, filesSize: 0n, fileSize: size }
}

function ownTotals (node: FileNode, options: InspectOptions): Totals {
  return {
    blocks: 1n,
    dagSize: BigInt(node.length),
    localSize: BigInt(node.links.length > 0 ? 0 : node.unixfs.data?.byteLength ?? 0),
    filesSize: 0n,
    fileSize: node.unixfs.isDirectory() ? 0n : BigInt(options.sizeOf(node))
  }
}

function addTotals (totals: Totals, child: Totals | undefined, isEntry: boolean): void {
  if (child != null) {
    totals.blocks += child.blocks
    totals.dagSize += child.dagSize
    totals.localSize += child.localSize
    totals.filesSize += child.filesSize + (isEntry ? child.fileSize : 0n)
  }
}

/** Whether a link leads to an entry of a directory, and not to a part of the node itself. */
function isEntryLink (node: FileNode, { Name: label = '' }: PBLink): boolean {
  return isSharded(node) ? label.length > prefixLength(node) : node.unixfs.isDirectory()
}

/** Counts each block once. */
class UniqueBlocks {
  blocks = 0n
  size = 0n
  readonly #filter: ExtendedStatOptions['filter']
  readonly #seen = new Set<string>()

  constructor (filter: ExtendedStatOptions['filter']) {
    this.#filter = filter
  }

  add (cid: CID, length: number): void {
    if (!this.#has(cid)) {
      this.blocks++
      this.size += BigInt(length)
    }
  }

  #has (cid: CID): boolean {
    const key = cid.toString()
    const has = this.#filter == null ? this.#seen.has(key) : this.#filter.has(cid.bytes)

    if (this.#filter == null) {
      this.#seen.add(key)
    } else {
      this.#filter.add(cid.bytes)
    }

    return has
  }
}
