import * as dagPb from '@ipld/dag-pb'
import { exporter } from 'ipfs-unixfs-exporter'
import * as raw from 'multiformats/codecs/raw'
import { getBlock, verifying } from '../dag/block.ts'
import { decodeNode } from '../dag/node.ts'
import { fileSize } from '../dag/read.ts'
import { InvalidDagError, InvalidHeaderError, MissingHeaderError, NotADirectoryError, NotAFileError } from '../errors.ts'
import { readHeader } from '../format/header.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import { followPath } from './path.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { Segment } from './path.ts'
import type { RootCache } from './root-cache.ts'
import type { CID } from 'multiformats/cid'

export interface EntryOptions extends GetBlockOptions {
  /** A path below the CID. */
  path?: string
}

/** What a CID, and a path below it, lead to. */
export interface Entry {
  /** The plain CID of the root. */
  cid: CID
  /** The bytes of the root block. */
  block: Uint8Array
  /** The root, where it is dag-pb: a raw block is a file too. */
  node?: FileNode
  /**
   * How the file is compressed, where it is read as its original bytes: the CID is
   * marked, or that of the tree above is.
   */
  header?: Header
  /** The marker code of a file without a header: its content is a stream that others made. */
  stream?: number
}

/** What the CID that something was asked for by, or the one above it, says of it. */
export type Marker = 'plain' | 'in-tree' | { code: number }

/**
 * Fetch the root that a CID and a path lead to, and its header.
 *
 * @param roots - where it may be found, and is kept
 * @throws {NotFoundError} a block is not there
 * @throws {NotADirectoryError} the path leads through a file
 * @throws {NotAFileError} it is neither file nor directory
 * @throws {NotUnixFSError}
 * @throws {MissingHeaderError} it is marked as a compressed file and is none
 * @throws {InvalidHeaderError}
 */
export async function openEntry (cid: CID, blockstore: GetStore, options: EntryOptions, roots?: RootCache): Promise<Entry> {
  const path = options.path ?? ''
  const start = startOf(cid, path)
  const follow = async (): Promise<Segment[]> => followPath(start, path, blockstore, options)
  const segments = await (roots?.paths.follow(start, path, follow) ?? follow())

  return openRoot(segments[segments.length - 1].cid, markerOf(cid, segments.length), blockstore, options, roots)
}

/**
 * The plain CID that a path begins at.
 *
 * @throws {NotADirectoryError} there is a path, and the CID is marked as a file
 */
export function startOf (cid: CID, path = ''): CID {
  if (path !== '' && isMarked(cid) && cid.code !== TREE_CODE) {
    throw new NotADirectoryError(`${cid} is marked as a file, there is no ${JSON.stringify(path)} below it`)
  }

  return unmark(cid)
}

/** Fetch a root by its plain CID, and its header where it is to be read by that. */
export async function openRoot (cid: CID, marker: Marker, blockstore: GetStore, options: GetBlockOptions, roots?: RootCache): Promise<Entry> {
  if (cid.code !== dagPb.code && cid.code !== raw.code) {
    // to fail as Helia does where it cannot decode it
    await exporter(cid, verifying(blockstore, options), options as Parameters<typeof exporter>[2])
    throw new NotAFileError()
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

/** The header in a root, whether or not it is asked for by its marked CID. */
export function findHeader (node: FileNode, marker?: number): Header | undefined {
  const header = readHeader(node.data, { cid: node.cid, marker, streamSize: fileSize(node) })

  if (header != null && (node.unixfs.type !== 'file' || (node.unixfs.data != null && node.links.length > 0))) {
    throw new InvalidHeaderError(node.cid, 'root', 'its block is no file, or has both data and links')
  }

  return header
}

/** What a CID says of what a path of that many segments below it leads to. */
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
    throw new InvalidDagError(node.cid, 'is marked as a directory and is none')
  }

  // in a tree each file says by its own header whether it is compressed
  return known ?? findHeader(node)
}
