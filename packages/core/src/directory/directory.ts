import { isEntryName } from './entry-name.ts'
import { InvalidDagError } from '../errors.ts'
import { prefixLength } from './shard-place.ts'
import { findInShards, isSharded, listShards } from './shards.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { CID } from 'multiformats/cid'

/** An entry of a directory as its parent knows it. */
export interface DirectoryLink {
  name: string
  cid: CID
  /** Bytes of all blocks below it, by what the parent says. */
  size: number
}

/**
 * The entries of a directory in the order they are in, those of its shards
 * included, a bounded number of which is fetched ahead.
 *
 * @throws {InvalidDagError} a name that no entry may have, or one that is there twice
 */
export async function * listDirectory (node: FileNode, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<DirectoryLink> {
  // what is known to be wrong is said before anything is handed out
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
 * Refuse a directory that names an entry as none may be named, or two the same.
 * Of a sharded one only this shard is looked at.
 *
 * @throws {InvalidDagError}
 */
export function checkDirectory (node: FileNode): void {
  const seen = new Set<string>()
  const prefix = isSharded(node) ? prefixLength(node) : 0

  for (const { Name: label = '' } of node.links) {
    if (prefix > 0) {
      checkLabel(node, label, prefix)
    }

    if (label.length > prefix || prefix === 0) {
      checkEntry(node.cid, label.slice(prefix), seen)
    }
  }
}

/**
 * The entry of that name, if there is one. In a sharded directory only the shards
 * that lead to it are fetched.
 *
 * @throws {InvalidDagError} there are two, or no entry may be called so
 */
export async function findEntry (node: FileNode, name: string, blockstore: GetStore, options: GetBlockOptions): Promise<CID | undefined> {
  if (isSharded(node)) {
    const { cid, count } = await findInShards(node, name, blockstore, options)
    checkFound(node.cid, name, count)

    return cid
  }

  const found = node.links.filter(link => link.Name === name)
  checkFound(node.cid, name, found.length)

  return found[0]?.Hash
}

function checkLabel ({ cid }: FileNode, label: string, prefix: number): void {
  if (label.length < prefix) {
    throw new InvalidDagError(cid, `is a shard with the label ${JSON.stringify(label)}, which is too short`)
  }
}

function checkFound (cid: CID, name: string, count: number): void {
  if (count > 1) {
    throw new InvalidDagError(cid, `has two entries called ${JSON.stringify(name)}`)
  }

  if (count === 1 && !isEntryName(name)) {
    throw new InvalidDagError(cid, `has an entry called ${JSON.stringify(name)}`)
  }
}

function checkEntry (cid: CID, name: string, seen: Set<string>): void {
  checkFound(cid, name, seen.has(name) ? 2 : 1)
  seen.add(name)
}
