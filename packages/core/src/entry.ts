import * as dagPb from '@ipld/dag-pb'
import { exporter, walkPath } from 'ipfs-unixfs-exporter'
import * as raw from 'multiformats/codecs/raw'
import { getBlock, verifying } from './dag/block.ts'
import { decodeNode } from './dag/node.ts'
import { fileSize } from './dag/read.ts'
import { InvalidDagError, InvalidHeaderError, MissingHeaderError, NotAFileError } from './errors.ts'
import { readHeader } from './header.ts'
import { isMarked, TREE_CODE, unmark } from './marker.ts'
import type { GetBlockOptions, GetStore } from './dag/block.ts'
import type { FileNode } from './dag/node.ts'
import type { Header } from './header.ts'
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
}

/**
 * Fetch the root that a CID and a path lead to, and its header.
 *
 * @throws {NotFoundError} a block is not there
 * @throws {NotAFileError} it is neither file nor directory
 * @throws {NotUnixFSError}
 * @throws {MissingHeaderError} it is marked as compressed and has no header
 * @throws {InvalidHeaderError}
 */
export async function openEntry (cid: CID, blockstore: GetStore, options: EntryOptions): Promise<Entry> {
  const plain = await resolvePath(unmark(cid), blockstore, options)

  if (plain.code !== dagPb.code && plain.code !== raw.code) {
    // to fail as Helia does where it cannot decode it
    await exporter(plain, verifying(blockstore, options), options as Parameters<typeof exporter>[2])
    throw new NotAFileError()
  }

  const block = await getBlock(plain, blockstore, options)

  if (plain.code === raw.code) {
    return { cid: plain, block }
  }

  const node = decodeNode(plain, block)
  const header = isMarked(cid) ? markedHeader(cid, node, options.path) : undefined

  return { cid: plain, block, node, ...header == null ? {} : { header } }
}

/** The header in a root, whether or not it is asked for by its marked CID. */
export function findHeader (node: FileNode, marker?: number): Header | undefined {
  const header = readHeader(node.data, { cid: node.cid, marker, streamSize: fileSize(node) })

  if (header != null && (node.unixfs.type !== 'file' || (node.unixfs.data != null && node.links.length > 0))) {
    throw new InvalidHeaderError(node.cid, 'root', 'its block is no file, or has both data and links')
  }

  return header
}

function markedHeader (cid: CID, node: FileNode, path = ''): Header | undefined {
  if (path === '' && cid.code !== TREE_CODE) {
    const header = findHeader(node, cid.code)

    if (header == null) {
      throw new MissingHeaderError(cid)
    }

    return header
  }

  if (node.unixfs.isDirectory()) {
    return undefined
  }

  if (path === '') {
    throw new InvalidDagError(cid, 'is marked as a directory and is none')
  }

  // in a tree each file says by its own header whether it is compressed
  return findHeader(node)
}

async function resolvePath (cid: CID, blockstore: GetStore, options: EntryOptions): Promise<CID> {
  const { path = '' } = options
  let resolved = cid

  if (path === '') {
    return cid
  }

  for await (const segment of walkPath(`/ipfs/${cid}/${path}`, verifying(blockstore, options), options as Parameters<typeof walkPath>[2])) {
    resolved = segment.cid
  }

  return resolved
}
