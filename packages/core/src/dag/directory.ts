import { NotFoundError as NoLinkError, walkPath } from 'ipfs-unixfs-exporter'
import { DEFAULT_BLOCK_READ_CONCURRENCY, MAX_DAG_DEPTH, MAX_SHARD_FANOUT } from '../constants.ts'
import { isEntryName } from '../entry-name.ts'
import { InvalidDagError } from '../errors.ts'
import { mapOrdered } from '../map-ordered.ts'
import { getBlock } from './block.ts'
import { decodeNode } from './node.ts'
import type { GetBlockOptions, GetStore } from './block.ts'
import type { FileNode } from './node.ts'
import type { CID } from 'multiformats/cid'

/** An entry of a directory as its parent knows it. */
export interface DirectoryLink {
  name: string
  cid: CID
  /** Bytes of all blocks below it, by what the parent says. */
  size: number
}

/** A directory, and the bytes of its root block. */
export interface Directory {
  node: FileNode
  block: Uint8Array
}

/**
 * The entries of a directory in the order they are in, those of its shards
 * included, a bounded number of which is fetched ahead.
 *
 * @throws {InvalidDagError} a name that no entry may have, or one that is there twice
 */
export async function * listDirectory (node: FileNode, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<DirectoryLink> {
  const seen = new Set<string>()

  // what is known to be wrong is said before anything is handed out
  checkDirectory(node)

  const entries = isSharded(node) ? walkShard(node, new Set(), 0, blockstore, options) : flatLinks(node)

  for await (const entry of entries) {
    checkEntry(node.cid, entry.name, seen)
    yield entry
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
export async function findEntry ({ node, block }: Directory, name: string, blockstore: GetStore, options: GetBlockOptions): Promise<CID | undefined> {
  if (!isSharded(node)) {
    const found = node.links.filter(link => link.Name === name)
    checkFound(node.cid, name, found.length)

    return found[0]?.Hash
  }

  const shards: FileNode[] = []
  const found = await findInShards({ node, block }, name, shards, blockstore, options)

  checkFound(node.cid, name, shards.reduce((count, shard) => {
    const prefix = prefixLength(shard)

    return count + shard.links.filter(({ Name: label = '' }) => label.length > prefix && label.slice(prefix) === name).length
  }, 0))

  return found
}

/** How many hexadecimal digits the labels in a shard begin with. */
export function prefixLength ({ cid, unixfs }: FileNode): number {
  const fanout = Number(unixfs.fanout ?? 0n)

  if (fanout < 2 || fanout > MAX_SHARD_FANOUT || !Number.isInteger(Math.log2(fanout))) {
    throw new InvalidDagError(cid, `is a shard with a fanout of ${fanout}`)
  }

  return (fanout - 1).toString(16).length
}

export function isSharded ({ unixfs }: FileNode): boolean {
  return unixfs.type === 'hamt-sharded-directory'
}

function * flatLinks (node: FileNode): Generator<DirectoryLink> {
  for (const { Name: name = '', Hash: cid, Tsize: size = 0 } of node.links) {
    yield { name, cid, size }
  }
}

async function * walkShard (node: FileNode, visited: Set<string>, depth: number, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<DirectoryLink> {
  const key = node.cid.toString()
  const prefix = prefixLength(node)

  // names are where their hashes say: a shard that is there twice holds names twice, or none
  if (depth > MAX_DAG_DEPTH || visited.has(key)) {
    throw new InvalidDagError(node.cid, depth > MAX_DAG_DEPTH ? `is a shard more than ${MAX_DAG_DEPTH} levels deep` : 'is a shard that its directory has twice')
  }

  visited.add(key)

  const children = mapOrdered(node.links, async ({ Name: label = '', Hash: cid, Tsize: size = 0 }) => {
    checkLabel(node, label, prefix)

    return {
      link: { name: label.slice(prefix), cid, size },
      shard: label.length === prefix ? decodeNode(cid, await getBlock(cid, blockstore, options)) : undefined
    }
  }, { concurrency: DEFAULT_BLOCK_READ_CONCURRENCY, signal: options.signal })

  for await (const { link, shard } of children) {
    if (shard == null) {
      yield link
    } else if (isSharded(shard)) {
      yield * walkShard(shard, visited, depth + 1, blockstore, options)
    } else {
      throw new InvalidDagError(shard.cid, 'is no shard, but its directory says so')
    }
  }
}

async function findInShards (root: Directory, name: string, shards: FileNode[], blockstore: GetStore, options: GetBlockOptions): Promise<CID | undefined> {
  // fails where the fanout makes no sense, before the exporter makes a table of it
  prefixLength(root.node)

  const store: GetStore = {
    async * get (cid) {
      if (shards.length > MAX_DAG_DEPTH) {
        throw new InvalidDagError(cid, `is a shard more than ${MAX_DAG_DEPTH} levels deep`)
      }

      const block = shards.length === 0 ? root.block : await getBlock(cid, blockstore, options)
      shards.push(shards.length === 0 ? root.node : decodeNode(cid, block))
      prefixLength(shards[shards.length - 1])
      yield block
    }
  }

  let found: CID | undefined

  try {
    for await (const segment of walkPath(`/ipfs/${root.node.cid}/${name}`, store)) {
      found = segment.cid
    }
  } catch (err) {
    // the exporter's own: a block that is not there is our NotFoundError
    if (err instanceof NoLinkError) {
      return undefined
    }

    throw err
  }

  return found
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
