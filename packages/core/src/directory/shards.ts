import { MAX_MISPLACED_ENTRIES, MAX_REMEMBERED_DIRECTORIES } from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { getBlock } from '../dag/block.ts'
import { decodeNode } from '../dag/node.ts'
import { readAhead } from '../dag/read-ahead.ts'
import { ShardList } from './shard-list.ts'
import { below, hashName, leadsTo, prefixLength, ROOT_PLACE, slotBits, slotFor, slotOf } from './shard-place.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Opened } from '../dag/items.ts'
import type { ShardItem } from './shard-list.ts'
import type { CID } from 'multiformats/cid'

export function isSharded ({ unixfs }: FileNode): boolean {
  return unixfs.type === 'hamt-sharded-directory'
}

/**
 * The entries of a sharded directory, in order.
 *
 * The hash of a name says where its entry is, so that no other place can have it too,
 * and nothing need be remembered of a million names. There are honest entries that are
 * elsewhere: @helia/unixfs moves shards up when it removes entries, and of a name that
 * is no UTF-8 the bytes are not known here. Those names are remembered, and looked for
 * where they should be.
 *
 * @throws {InvalidDagError} a name is there twice, or a shard is, or is deeper than hashes lead, or empty, or none
 */
export async function * listShards (root: FileNode, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<ShardItem> {
  const visited = new Map<string, string>()
  const misplaced = new Set<string>()

  const check = ({ cid, place }: ShardItem): void => {
    const key = cid.toString()
    const here = `${place.bits} ${place.prefix}`
    const there = visited.get(key) ?? here

    if (there !== here) {
      throw new InvalidDagError(cid, 'is a shard that its directory has twice')
    }

    remember(visited, key, here)
  }

  for await (const { item, node } of readAhead(new ShardList(root, ROOT_PLACE), { open: openShard, check }, blockstore, options)) {
    if (node == null) {
      if (!leadsTo(await hashName(item.name), item.place)) {
        await checkMisplaced(root, item.name, misplaced, blockstore, options)
      }

      yield item
    }
  }
}

/** What has that name in the shards that the name leads to, and how many there are of it. */
export async function findInShards (root: FileNode, name: string, blockstore: GetStore, options: GetBlockOptions): Promise<{ cid?: CID, count: number }> {
  for await (const { shard, prefix } of shardsTo(root, name, blockstore, options)) {
    const found = shard.links.filter(({ Name: label = '' }) => label.length > prefix && label.slice(prefix) === name)

    if (found.length > 0) {
      return { cid: found[0].Hash, count: found.length }
    }
  }

  return { count: 0 }
}

async function checkMisplaced (root: FileNode, name: string, misplaced: Set<string>, blockstore: GetStore, options: GetBlockOptions): Promise<void> {
  if (misplaced.has(name) || await isInPlace(root, name, blockstore, options)) {
    throw new InvalidDagError(root.cid, `has two entries called ${JSON.stringify(name)}`)
  }

  misplaced.add(name)

  if (misplaced.size > MAX_MISPLACED_ENTRIES) {
    throw new InvalidDagError(root.cid, `has more than ${MAX_MISPLACED_ENTRIES} entries that are not where the hashes of their names say`)
  }
}

/** Whether there is an entry of that name where its hash says. */
async function isInPlace (root: FileNode, name: string, blockstore: GetStore, options: GetBlockOptions): Promise<boolean> {
  for await (const { shard, prefix, slot } of shardsTo(root, name, blockstore, options)) {
    if (shard.links.filter(({ Name: label = '' }) => label.slice(prefix) === name && slotOf(shard, label, prefix) === slot).length > 0) {
      return true
    }
  }

  return false
}

/** The shards that the hash of a name leads through, and the child of each that it leads to. */
async function * shardsTo (root: FileNode, name: string, blockstore: GetStore, options: GetBlockOptions): AsyncGenerator<{ shard: FileNode, prefix: number, slot: number }> {
  const hash = await hashName(name)
  let shard = root
  let place = ROOT_PLACE

  for (;;) {
    const prefix = prefixLength(shard)
    const bits = slotBits(shard, place)
    const slot = slotFor(hash, place, bits)
    yield { shard, prefix, slot }

    const [next] = shard.links.filter(({ Name: label = '' }) => label.length === prefix && slotOf(shard, label, prefix) === slot)

    if (next == null) {
      return
    }

    place = below(place, slot, bits)
    shard = decodeShard(next.Hash, await getBlock(next.Hash, blockstore, options))
  }
}

function openShard ({ cid, place }: ShardItem, block: Uint8Array): Opened<ShardItem, true> {
  const shard = decodeShard(cid, block)

  // where there is no name to look at, a few shards of shards could take for ever
  if (shard.links.length === 0) {
    throw new InvalidDagError(cid, 'is a shard without entries')
  }

  return { node: true, byteLength: 0, items: new ShardList(shard, place) }
}

function decodeShard (cid: CID, block: Uint8Array): FileNode {
  const shard = decodeNode(cid, block)

  if (!isSharded(shard)) {
    throw new InvalidDagError(cid, 'is no shard, but its directory says so')
  }

  return shard
}

/** Of more than can be remembered the hashes of their names say where they are. */
function remember (visited: Map<string, string>, key: string, place: string): void {
  visited.set(key, place)

  if (visited.size > MAX_REMEMBERED_DIRECTORIES) {
    const [oldest] = visited.keys()
    visited.delete(oldest)
  }
}
