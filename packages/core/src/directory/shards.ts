import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { quoteName } from '@ipfsz/utils/quote-name'
import {
  MAX_MISPLACED_ENTRIES,
  MAX_MISPLACED_LOOKUPS,
  MAX_MISPLACED_NAMES_SIZE,
  MAX_REMEMBERED_DIRECTORIES
} from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { getBlock } from '../dag/block.ts'
import { cidKey } from '../dag/cid-key.ts'
import { checkHash } from '../dag/hashes.ts'
import { decodeNode } from '../dag/node.ts'
import { readAhead } from '../dag/read-ahead.ts'
import { ShardList } from './shard-list.ts'
import { childPlace, hashName, leadsTo, prefixLength, ROOT_PLACE, slotBits, slotFor, slotOf } from './shard-place.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Opened } from '../dag/items.ts'
import type { PBLink } from '@ipld/dag-pb'
import type { ShardItem } from './shard-list.ts'
import type { CID } from 'multiformats/cid'

export function isSharded ({ unixfs }: FileNode): boolean {
  return unixfs.type === 'hamt-sharded-directory'
}

/** The links of a shard to other shards. Those of entries have a name after the index. */
export function * shardLinks (shard: FileNode): Generator<PBLink> {
  const prefix = prefixLength(shard)

  for (const link of shard.links) {
    if (link.Name?.length === prefix) {
      yield link
    }
  }
}

/**
 * The entries of a sharded directory, in order.
 *
 * A name's hash determines its place, so no other place can hold the same name, and a million
 * names need not be remembered to detect duplicates. Some honest entries are elsewhere:
 * @helia/unixfs moves shards up when it removes entries, and if a name is not UTF-8 its
 * original bytes are unknown here. Those names are remembered, and also looked up at the place
 * that their hash determines.
 *
 * @param lookups - how many links may be read to look up those names
 * @throws {InvalidDagError} a name or a shard occurs twice, a shard is too deep, empty, or not a
 *   shard, or too many names are not where their hash puts them
 */
export async function * listShards (
  root: FileNode,
  blockstore: GetStore,
  options: GetBlockOptions,
  lookups = MAX_MISPLACED_LOOKUPS
): AsyncGenerator<ShardItem> {
  const visited = new Map<string, string>()
  const misplaced = new MisplacedNames(root, lookups)

  const check = ({ cid, place }: ShardItem): void => {
    // refuses CIDs that are too long to be remembered
    checkHash(cid)

    const key = cidKey(cid)
    const here = `${place.bits} ${place.prefix}`
    const there = visited.get(key) ?? here

    if (there !== here) {
      throw new InvalidDagError(cid, 'is a shard that occurs twice in its directory')
    }

    remember(visited, key, here)
  }

  const items = new ShardList(root, ROOT_PLACE)

  for await (const { item, node } of readAhead(items, { open: openShard, check }, blockstore, options)) {
    if (node == null) {
      if (!leadsTo(await hashName(item.name), item.place)) {
        await misplaced.add(item.name, blockstore, options)
      }

      yield item
    }
  }
}

/**
 * Look up a name in the shards on the path that its hash determines. `count` is how many entries
 * have that name in the first shard that has any. `shards` are the shards read below the root.
 */
export async function findInShards (
  root: FileNode,
  name: string,
  blockstore: GetStore,
  options: GetBlockOptions
): Promise<{ cid?: CID, count: number, shards: CID[] }> {
  const shards: CID[] = []

  for await (const { shard, named: found } of shardsTo(root, name, blockstore, options)) {
    if (shard !== root) {
      shards.push(shard.cid)
    }

    if (found.length > 0) {
      return { cid: found[0].Hash, count: found.length, shards }
    }
  }

  return { count: 0, shards }
}

/** The names found outside the shard that their hash names. */
class MisplacedNames {
  readonly #root: FileNode
  readonly #names = new Set<string>()
  /** Bytes of all of them. */
  #size = 0
  /** How many links may still be read to look such names up. */
  #lookups: number

  constructor (root: FileNode, lookups: number) {
    this.#root = root
    this.#lookups = lookups
  }

  /** @throws {InvalidDagError} the name occurs twice, or there are too many, or looking them up takes too long */
  async add (name: string, blockstore: GetStore, options: GetBlockOptions): Promise<void> {
    const { cid } = this.#root

    if (this.#names.has(name) || await this.#isInPlace(name, blockstore, options)) {
      throw new InvalidDagError(cid, `has two entries named ${quoteName(name)}`)
    }

    this.#names.add(name)
    this.#size += name.length * 2

    if (this.#names.size > MAX_MISPLACED_ENTRIES || this.#size > MAX_MISPLACED_NAMES_SIZE) {
      throw new InvalidDagError(cid, `has more than ${MAX_MISPLACED_ENTRIES} entries in the wrong shard, or ` +
        `more than ${MAX_MISPLACED_NAMES_SIZE} bytes of their names`)
    }
  }

  /** Whether an entry of that name is at the place that its hash determines. */
  async #isInPlace (name: string, blockstore: GetStore, options: GetBlockOptions): Promise<boolean> {
    for await (const { shard, prefix, slot, named } of shardsTo(this.#root, name, blockstore, options)) {
      if (named.some(({ Name: label = '' }) => slotOf(shard, label, prefix) === slot)) {
        return true
      }

      this.#lookups -= shard.links.length

      // a shard may have 65,536 links: to look up each of them in it would take hours
      if (this.#lookups < 0) {
        const reason = 'has too many entries in the wrong shard, and the shards are too large'
        throw new InvalidDagError(this.#root.cid, reason)
      }
    }

    return false
  }
}

/** A shard on the path of a name's hash. */
interface ShardOnPath {
  shard: FileNode
  prefix: number
  /** The index of the child that the hash leads to. */
  slot: number
  /** The entries of that name, whatever their index. */
  named: PBLink[]
}

/** The shards that a name's hash leads through. */
async function * shardsTo (
  root: FileNode,
  name: string,
  blockstore: GetStore,
  options: GetBlockOptions
): AsyncGenerator<ShardOnPath> {
  const hash = await hashName(name)
  let shard = root
  let place = ROOT_PLACE

  for (;;) {
    const { links } = shard
    const prefix = prefixLength(shard)
    const bits = slotBits(shard, place)
    const slot = slotFor(hash, place, bits)
    const named: PBLink[] = []
    let next: CID | undefined

    // once, as each link is decoded
    for (const link of links) {
      const { Name: label = '' } = link

      if (label.length > prefix && label.slice(prefix) === name) {
        named.push(link)
      } else if (next == null && label.length === prefix && slotOf(shard, label, prefix) === slot) {
        next = link.Hash
      }
    }

    yield { shard, prefix, slot, named }

    if (next == null) {
      return
    }

    place = childPlace(place, slot, bits)
    shard = decodeShard(next, await getBlock(next, blockstore, options))
  }
}

function openShard ({ cid, place }: ShardItem, block: Uint8Array): Opened<ShardItem, true> {
  const shard = decodeShard(cid, block)

  // with no names to check, walking a few shards of shards could take forever
  if (shard.links.length === 0) {
    throw new InvalidDagError(cid, 'is an empty shard')
  }

  return { node: true, byteLength: 0, items: new ShardList(shard, place) }
}

function decodeShard (cid: CID, block: Uint8Array): FileNode {
  const shard = decodeNode(cid, block)

  if (!isSharded(shard)) {
    throw new InvalidDagError(cid, 'is linked as a shard, but is not one')
  }

  return shard
}

/** Remember where a shard was seen. Drops the oldest: its place is still checked by the hashes of its names. */
function remember (visited: Map<string, string>, key: string, place: string): void {
  visited.set(key, place)

  forgetOldest(visited, MAX_REMEMBERED_DIRECTORIES)
}
