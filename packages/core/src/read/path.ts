import * as dagPb from '@ipld/dag-pb'
import { NotFoundError as NoLinkError, walkPath } from 'ipfs-unixfs-exporter'
import * as raw from 'multiformats/codecs/raw'
import { getBlock, verifyingBlockstore } from '../dag/block.ts'
import { findEntry } from '../directory/directory.ts'
import { decodeNode } from '../dag/node.ts'
import { splitPath } from '../directory/entry-name.ts'
import { NotADirectoryError } from '../errors.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** A step of a path: a name, and the CID that the directory before it has under that name. */
export interface Segment {
  name: string
  /** A plain CID. */
  cid: CID
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
 * @throws {InvalidDagError} a directory has two entries of that name
 */
export async function followPath (
  cid: CID,
  path = '',
  blockstore: GetStore,
  options: GetBlockOptions
): Promise<Segment[]> {
  const names = splitPath(path)
  const segments: Segment[] = [{ name: '', cid }]

  for (const [i, name] of names.entries()) {
    const { cid } = segments[i]

    if (cid.code !== dagPb.code && cid.code !== raw.code) {
      // an IPLD object, such as dag-cbor, that links to UnixFS
      return [...segments, ...await followObjects(cid, names.slice(i), blockstore, options)]
    }

    segments.push({ name, cid: await step(cid, name, blockstore, options) })
  }

  return segments
}

async function step (cid: CID, name: string, blockstore: GetStore, options: GetBlockOptions): Promise<CID> {
  if (cid.code === raw.code) {
    throw new NotADirectoryError(`${cid} is a file: it cannot contain ${JSON.stringify(name)}`)
  }

  const node = decodeNode(cid, await getBlock(cid, blockstore, options))

  if (!node.unixfs.isDirectory()) {
    throw new NotADirectoryError(`${cid} is a file: it cannot contain ${JSON.stringify(name)}`)
  }

  const found = await findEntry(node, name, blockstore, options)

  if (found == null) {
    throw new NoLinkError(`The directory ${cid} has no entry named ${JSON.stringify(name)}`)
  }

  return found
}

async function followObjects (
  cid: CID,
  names: string[],
  blockstore: GetStore,
  options: GetBlockOptions
): Promise<Segment[]> {
  const segments: Segment[] = []

  for await (const segment of walkPath(`/ipfs/${cid}/${names.join('/')}`, verifyingBlockstore(blockstore, options))) {
    segments.push(segment)
  }

  return segments.slice(1)
}
