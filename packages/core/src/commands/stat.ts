import * as dagPb from '@ipld/dag-pb'
import { MAX_DAG_DEPTH } from '../constants.ts'
import { getBlock } from '../dag/block.ts'
import { decodeNode } from '../dag/node.ts'
import { fileSize } from '../dag/read.ts'
import { findHeader, openEntry } from '../entry.ts'
import { InvalidDagError } from '../errors.ts'
import { codecName, mark } from '../marker.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Entry } from '../entry.ts'
import type { Header } from '../header.ts'
import type { Stats, StatOptions } from '../index.ts'
import type { Settings } from '../ipfsz.ts'
import type { CID } from 'multiformats/cid'

// as @helia/unixfs, where a file or directory carries no mode
const DEFAULT_DIRECTORY_MODE = 0x755
const DEFAULT_FILE_MODE = 0x644

export async function stat (cid: CID, { blockstore }: Settings, options: StatOptions = {}): Promise<Stats> {
  const entry = await openEntry(cid, blockstore, options)
  const { node, header } = entry
  const size = originalSize(entry)
  const storedSize = dagSize(entry)

  return {
    ...describe(entry, size),
    codec: (header == null ? undefined : codecName(header.codec)) ?? 'none',
    storedSize: BigInt(storedSize),
    ratio: size === 0 ? 1 : storedSize / size,
    frames: header?.frameLengths.length ?? 0,
    ...header == null ? {} : { frameSize: header.frameSize },
    plainCid: entry.cid,
    ...markedTwin(node, header),
    ...options.extended === true ? { blocks: BigInt(await countBlocks(node, new Map(), 0, blockstore, options)) } : {}
  }
}

function describe ({ cid, node }: Entry, bytes: number): Pick<Stats, 'cid' | 'type' | 'mode' | 'mtime' | 'unixfs' | 'size'> {
  const size = BigInt(bytes)

  if (node == null) {
    return { cid, type: 'raw', mode: DEFAULT_FILE_MODE, mtime: undefined, unixfs: undefined, size }
  }

  const { unixfs } = node
  const directory = unixfs.isDirectory()

  return {
    cid,
    type: directory ? 'directory' : 'file',
    mode: unixfs.mode ?? (directory ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE),
    mtime: unixfs.mtime,
    unixfs,
    size
  }
}

/** Bytes that reading gives. */
function originalSize ({ block, node, header }: Entry): number {
  return header?.size ?? (node == null ? block.byteLength : fileSize(node))
}

/** Bytes of all blocks, the lower ones by what their parent says. */
function dagSize ({ block, node }: Entry): number {
  return (node?.links ?? []).reduce((total, link) => total + (link.Tsize ?? 0), block.byteLength)
}

/** The marked CID of a file that is compressed, also where it was asked for by the plain one. */
function markedTwin (node: FileNode | undefined, header: Header | undefined): { markedCid?: CID } {
  if (node == null || node.unixfs.isDirectory()) {
    return {}
  }

  try {
    const found = header ?? findHeader(node)

    return found == null ? {} : { markedCid: mark(node.cid, found.codec) }
  } catch {
    // a header that nobody asked for may be as wrong as it likes
    return {}
  }
}

/**
 * How many blocks a DAG has, one that is linked twice counted twice. Raw leaves are
 * counted and not fetched, and a node is walked once, however often it is linked.
 */
async function countBlocks (node: FileNode | undefined, counted: Map<string, number>, depth: number, blockstore: GetStore, options: StatOptions): Promise<number> {
  let blocks = 1

  for (const { Hash: cid } of node?.links ?? []) {
    if (cid.code !== dagPb.code) {
      blocks++
      continue
    }

    if (depth >= MAX_DAG_DEPTH) {
      throw new InvalidDagError(cid, `is more than ${MAX_DAG_DEPTH} levels below the root`)
    }

    const key = cid.toString()
    const below = counted.get(key) ??
      await countBlocks(decodeNode(cid, await getBlock(cid, blockstore, options)), counted, depth + 1, blockstore, options)

    counted.set(key, below)
    blocks += below
  }

  if (node != null && blocks > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDagError(node.cid, 'has more blocks below it than can be counted')
  }

  return blocks
}
