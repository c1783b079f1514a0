import { quoteName } from '@ipfsz/utils/quote-name'
import * as dagPb from '@ipld/dag-pb'
import { NotFoundError as NoLinkError } from 'ipfs-unixfs-exporter'
import * as raw from 'multiformats/codecs/raw'
import { getBlock } from '../dag/block.ts'
import { findEntry } from '../directory/directory.ts'
import { decodeNode } from '../dag/node.ts'
import { splitPath } from '../directory/entry-name.ts'
import { NotADirectoryError, notUnixFS } from '../errors.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Segment } from './path-cache.ts'
import type { RootCache } from './root-cache.ts'
import type { CID } from 'multiformats/cid'

/**
 * Reads blocks that are neither dag-pb nor raw: IPLD objects, such as dag-cbor, which may link to UnixFS. It brings
 * their decoders, which a reader of files alone can do without.
 */
export interface ObjectReader {
  /** Follow names from an object on. Returns a segment for each of them. */
  follow (cid: CID, names: readonly string[], blockstore: GetStore, options: GetBlockOptions): Promise<Segment[]>
}

/** Where the root of an entry is read from. */
export interface RootSource {
  blockstore: GetStore
  /**
   * A cache of roots, consulted and filled.
   *
   * @default each root is read
   */
  roots?: RootCache | undefined
}

/** Where entries are read from. */
export interface EntrySource {
  blockstore: GetStore
  /** @default IPLD objects are refused with a NotUnixFSError */
  objects?: ObjectReader | undefined
}

/**
 * Follow a path through directories. The first segment is its start, the last one its end.
 *
 * ipfs-unixfs-exporter is not used: it returns the file itself for a path below a file,
 * ignores duplicate names, builds a table of all names of every shard on the way, and copies
 * the remaining path at every step.
 *
 * @throws {NotFoundError} there is no such entry, or a block is missing
 * @throws {NotADirectoryError} the path leads through a file
 * @throws {NotUnixFSError} the path leads through an IPLD object, and the source has no reader for them
 * @throws {InvalidDagError} a directory has two entries of that name
 */
export async function followPath (
  cid: CID,
  path = '',
  { blockstore, objects, roots }: EntrySource & RootSource,
  options: GetBlockOptions
): Promise<Segment[]> {
  const names = splitPath(path)
  const segments: Segment[] = [{ name: '', cid }]

  for (const [i, name] of names.entries()) {
    const { cid } = segments[i]

    if (cid.code !== dagPb.code && cid.code !== raw.code) {
      if (objects == null) {
        throw notUnixFS(cid)
      }

      // an IPLD object, such as dag-cbor, that links to UnixFS
      return [...segments, ...await objects.follow(cid, names.slice(i), blockstore, options)]
    }

    const node = cid.code === raw.code ? undefined : await readNode(cid, blockstore, options, roots)

    if (node?.unixfs.isDirectory() !== true) {
      throw new NotADirectoryError(`${cid} is a file: it cannot contain ${quoteName(name)}`)
    }

    const found = await findEntry(node, name, blockstore, options)

    if (found == null) {
      throw new NoLinkError(`The directory ${cid} has no entry named ${quoteName(name)}`)
    }

    segments.push({ name, cid: found })
  }

  return segments
}

/** Read a node of dag-pb. A directory is cached: other paths through it may follow. */
async function readNode (
  cid: CID,
  blockstore: GetStore,
  options: GetBlockOptions,
  roots?: RootCache
): Promise<FileNode> {
  const cached = roots?.get(cid)

  if (cached != null) {
    return cached.node
  }

  const block = await getBlock(cid, blockstore, options)
  const node = decodeNode(cid, block)

  if (node.unixfs.isDirectory()) {
    roots?.set({ block, node })
  }

  return node
}
