import { quoteName } from '@ipfsz/utils/quote-name'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { getBlock } from '../dag/block.ts'
import { decodeNode } from '../dag/node.ts'
import {
  InvalidDagError,
  MissingHeaderError,
  NotADirectoryError,
  notUnixFS
} from '../errors.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import { findHeader } from './find-header.ts'
import { followPath } from './path.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { Held } from './held.ts'
import type { EntrySource, RootSource } from './path.ts'
import type { Segment } from './path-cache.ts'
import type { RootCache } from './root-cache.ts'
import type { CID } from 'multiformats/cid'

export interface EntryOptions extends GetBlockOptions {
  /** A path below the CID. */
  path?: string
}

/** What a CID, or a path below it, names. */
export interface Entry {
  /** The plain CID of the root. */
  cid: CID
  block: Uint8Array
  /** The decoded root. Undefined if it is a raw block, which is a file too. */
  node?: FileNode
  /**
   * The header of a compressed file that is to be read decompressed: its CID is marked, or
   * it was reached through a marked tree.
   */
  header?: Header
  /** The marker code of a file without a header, which another tool compressed as a stream. */
  stream?: number
  /** Where reading it keeps what other reads need too. */
  held?: Held
}

/** How an entry is to be read, according to its own CID or the tree that it was reached through. */
type Marker = 'plain' | 'in-tree' | { code: number }

/**
 * Fetch the root that a CID and a path lead to, and its header.
 *
 * @param roots - a cache of roots, consulted and filled
 * @throws {NotFoundError} a block is missing
 * @throws {NotADirectoryError} the path leads through a file
 * @throws {NotUnixFSError} the CID names neither a file nor a directory
 * @throws {MissingHeaderError} the CID is marked as a compressed file, but names something else
 * @throws {InvalidHeaderError}
 */
export async function openEntry (
  cid: CID,
  source: EntrySource,
  options: EntryOptions,
  roots?: RootCache
): Promise<Entry> {
  const path = options.path ?? ''
  const start = startOf(cid, path)
  const from = { blockstore: source.blockstore, objects: source.objects, roots }
  const follow = async (): Promise<Segment[]> => followPath(start, path, from, options)
  const segments = await (roots?.paths.follow(start, path, follow) ?? follow())
  const { cid: root } = segments[segments.length - 1]
  const entry = await openRoot(root, markerOf(cid, segments.length), from, options)

  if (entry.node?.unixfs.isDirectory() === true) {
    // whoever opens a directory follows paths through it next
    roots?.set({ block: entry.block, node: entry.node })
  }

  return entry
}

/**
 * The plain CID at which a path starts.
 *
 * @throws {NotADirectoryError} the path is not empty, and the CID is marked as a file
 */
export function startOf (cid: CID, path = ''): CID {
  if (path !== '' && isMarked(cid) && cid.code !== TREE_CODE) {
    throw new NotADirectoryError(`${cid} is marked as a file: it cannot contain ${quoteName(path)}`)
  }

  return unmark(cid)
}

/** Fetch a root by its plain CID, and its header if `marker` asks for it. */
export async function openRoot (
  cid: CID,
  marker: Marker,
  { blockstore, roots }: RootSource,
  options: GetBlockOptions
): Promise<Entry> {
  if (cid.code !== dagPb.code && cid.code !== raw.code) {
    throw notUnixFS(cid)
  }

  const cached = roots?.get(cid)
  const block = cached?.block ?? await getBlock(cid, blockstore, options)

  if (cid.code === raw.code) {
    return { cid, block }
  }

  const node = cached?.node ?? decodeNode(cid, block)
  const header = markedHeader(node, marker, cached?.header)

  if (!node.unixfs.isDirectory() && (cached == null || (cached.header == null && header != null))) {
    roots?.set({ block, node, ...header == null ? {} : { header } })
  }

  return {
    cid,
    block,
    node,
    ...header == null ? {} : { header },
    ...header == null && isFileMarker(marker) ? { stream: marker.code } : {}
  }
}

function isFileMarker (marker: Marker): marker is { code: number } {
  return typeof marker === 'object' && marker.code !== TREE_CODE
}

/** The header of a file that is read as it is stored: there, a broken one does not matter. */
export function headerOrNone (node: FileNode): Header | undefined {
  try {
    return findHeader(node)
  } catch {
    return undefined
  }
}

/** How an entry is to be read whose path, below the CID, has this many segments. */
export function markerOf (cid: CID, segments: number): Marker {
  if (!isMarked(cid)) {
    return 'plain'
  }

  return segments > 1 ? 'in-tree' : { code: cid.code }
}

function markedHeader (node: FileNode, marker: Marker, known?: Header): Header | undefined {
  if (marker === 'plain') {
    return undefined
  }

  if (isFileMarker(marker)) {
    const header = known?.codec === marker.code ? known : findHeader(node, marker.code)

    if (header == null && node.unixfs.type !== 'file' && node.unixfs.type !== 'raw') {
      throw new MissingHeaderError(mark(node.cid, marker.code))
    }

    return header
  }

  if (node.unixfs.isDirectory()) {
    return undefined
  }

  if (marker !== 'in-tree') {
    throw new InvalidDagError(node.cid, 'is marked as a directory, but is not one')
  }

  // in a tree each file's own header says whether it is compressed
  return known ?? findHeader(node)
}
