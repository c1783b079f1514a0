// Room: directories, sharded ones too: building, listing, finding an entry.
import { quoteName } from '@ipfsz/utils/quote-name'
import { isEntryName } from './entry-name.ts'
import { InvalidDagError } from '../errors.ts'
import { prefixLength } from './shard-place.ts'
import { findInShards, isSharded, listShards } from './shards.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { CID } from 'multiformats/cid'

/** An entry of a directory, as its parent describes it. */
export interface DirectoryLink {
  name: string
  cid: CID
  /** Bytes of all blocks below it, as stated by the parent. */
  size: number
}

/**
 * The entries of a directory, in order, including those in its shards. Shards are fetched
 * ahead, a bounded number at a time.
 *
 * @throws {InvalidDagError} an entry's name is not valid, or occurs twice
 */
export async function * listDirectory (
  node: FileNode,
  blockstore: GetStore,
  options: GetBlockOptions
): AsyncGenerator<DirectoryLink> {
  // report what is known to be wrong before yielding anything
  checkDirectory(node)

  if (!isSharded(node)) {
    for (const { Name: name = '', Hash: cid, Tsize: size = 0 } of node.links) {
      yield { name, cid, size }
    }

    return
  }

  for await (const { name, cid, dagSize: size } of listShards(node, blockstore, options)) {
    checkFound(node.cid, name, 1)
    yield { name, cid, size }
  }
}

/**
 * Refuse a directory in which an entry's name is not valid or occurs twice. In a sharded
 * directory this checks only the given shard.
 *
 * @throws {InvalidDagError}
 */
export function checkDirectory (node: FileNode): void {
  const seen = new Set<string>()
  const prefix = isSharded(node) ? prefixLength(node) : 0

  for (const label of node.links.names()) {
    if (prefix > 0) {
      checkLabel(node, label, prefix)
    }

    if (label.length > prefix || prefix === 0) {
      checkEntry(node.cid, label.slice(prefix), seen)
    }
  }
}

/** Where a directory has an entry. */
export interface EntryLocation {
  cid: CID
  /** The shards of a sharded directory on the way to the entry, below the directory's root. Otherwise empty. */
  shards: CID[]
}

/**
 * Find the entry with that name, if there is one. In a sharded directory, fetches only the
 * shards on the way to it.
 *
 * @throws {InvalidDagError} there are two, or the name is not valid
 */
export async function locateEntry (
  node: FileNode,
  name: string,
  blockstore: GetStore,
  options: GetBlockOptions = {}
): Promise<EntryLocation | undefined> {
  if (isSharded(node)) {
    const { cid, count, shards } = await findInShards(node, name, blockstore, options)
    checkFound(node.cid, name, count)

    return cid == null ? undefined : { cid, shards }
  }

  const found = node.links.named(name)
  checkFound(node.cid, name, found.length)

  return found.length === 0 ? undefined : { cid: found[0].Hash, shards: [] }
}

/** The CID of the entry with that name, like {@link locateEntry}. */
export async function findEntry (
  node: FileNode,
  name: string,
  blockstore: GetStore,
  options: GetBlockOptions
): Promise<CID | undefined> {
  return (await locateEntry(node, name, blockstore, options))?.cid
}

function checkLabel ({ cid }: FileNode, label: string, prefix: number): void {
  if (label.length < prefix) {
    throw new InvalidDagError(cid, `is a shard with the label ${quoteName(label)}, which is too short`)
  }
}

function checkFound (cid: CID, name: string, count: number): void {
  if (count > 1) {
    throw new InvalidDagError(cid, `has two entries named ${quoteName(name)}`)
  }

  if (count === 1 && !isEntryName(name)) {
    throw new InvalidDagError(cid, `has an entry with the invalid name ${quoteName(name)}`)
  }
}

function checkEntry (cid: CID, name: string, seen: Set<string>): void {
  checkFound(cid, name, seen.has(name) ? 2 : 1)
  seen.add(name)
}
