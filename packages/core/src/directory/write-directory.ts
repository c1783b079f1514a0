import * as dagPb from '@ipld/dag-pb'
import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import { UnixFS } from 'ipfs-unixfs'
import { dataFieldSerializedSize, linkSerializedSize, utf8ByteLength } from 'ipfs-unixfs-importer/utils'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { DEFAULT_SHARD_SPLIT_THRESHOLD, MAX_LEAF_SIZE } from '../constants.ts'
import { keyToBytes } from '../dag/cid-key.ts'
import { marshal } from '../dag/marshal.ts'
import { InvalidParametersError } from '../errors.ts'
import { encodeDirectory, encodeLink } from './encode-directory.ts'
import { writeSharded } from './write-sharded.ts'
import type { PutStore } from '../dag/block.ts'
import type { EncodedLink } from './encode-directory.ts'
import type { WrittenChild } from './written-child.ts'
import type { ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'
import type { MultihashDigest } from 'multiformats/hashes/interface'

export type DirectoryOptions = Pick<
  ImporterOptions,
  'shardSplitThresholdBytes' | 'shardSplitStrategy' | 'shardFanoutBits' | 'cidVersion' | 'fieldOrder' | 'onProgress'
>

interface NewDirectory {
  path: string
  /** The metadata that it was added with, if it was added itself. */
  unixfs?: UnixFS | undefined
  /** By name, in order. */
  children: ReadonlyMap<string, WrittenChild>
}

/** Write a directory whose entries are written: in one block, or in shards where the importer would make them. */
export async function writeDirectory (
  directory: NewDirectory,
  blockstore: PutStore,
  options: DirectoryOptions
): Promise<ImportResult> {
  const links = isLarge(directory, options) ? undefined : linksOf(directory.children)

  return links == null
    ? { ...await writeSharded(directory, directory.children, blockstore, options), path: directory.path }
    : writeFlat(directory, links, blockstore, options)
}

/** Whether the importer would shard the directory. Like the importer, it does not count subdirectories. */
function isLarge (
  { unixfs, children }: NewDirectory,
  { shardSplitStrategy = 'links-bytes', shardSplitThresholdBytes = DEFAULT_SHARD_SPLIT_THRESHOLD }: DirectoryOptions
): boolean {
  if (shardSplitStrategy !== 'links-bytes' && shardSplitStrategy !== 'block-bytes') {
    throw new InvalidParametersError(
      `shardSplitStrategy must be links-bytes or block-bytes, not ${String(shardSplitStrategy)}`
    )
  }

  let size = shardSplitStrategy === 'links-bytes' ? 0 : dataFieldSerializedSize(unixfs?.mode, unixfs?.mtime)

  for (const [name, child] of children) {
    if (child.isDirectory !== true) {
      size += shardSplitStrategy === 'links-bytes'
        ? utf8ByteLength(name) + child.key.length
        : linkSerializedSize(utf8ByteLength(name), child.key.length, Number(child.size))
    }
  }

  return size > shardSplitThresholdBytes
}

/**
 * The links of an unsharded directory. Undefined if its block would be too large, even without its own metadata: the
 * importer would write such a block at any length if the directory is full of directories. Other nodes refuse large
 * ones.
 */
function linksOf (children: NewDirectory['children']): EncodedLink[] | undefined {
  const links: EncodedLink[] = []
  let total = 0

  for (const [name, { key, size }] of children) {
    const link = encodeLink(name, keyToBytes(key), Number(size))
    links.push(link)
    total += link.length
  }

  return total > MAX_LEAF_SIZE ? undefined : links
}

async function writeFlat (
  { path, unixfs: metadata }: NewDirectory,
  links: readonly EncodedLink[],
  blockstore: PutStore,
  { cidVersion = 1, fieldOrder, ...options }: DirectoryOptions
): Promise<ImportResult> {
  const unixfs = new UnixFS({ type: 'directory', mtime: metadata?.mtime, mode: metadata?.mode })
  const block = encodeDirectory(links, marshal(unixfs), fieldOrder)
  const cid = CID.create(cidVersion, dagPb.code, digestOf(block) ?? await sha256.digest(block))

  await blockstore.put(cid, block, options as Parameters<PutStore['put']>[2])

  return { cid, unixfs, path, size: BigInt(links.reduce((size, link) => size + link.size, block.byteLength)) }
}

/** At once: there may be as many directories as files. Undefined where that is not possible. */
function digestOf (block: Uint8Array): MultihashDigest<typeof sha256.code> | undefined {
  const digest = sha256Sync(block)

  // not the Buffer itself: CIDs are compared
  return digest && createDigest(sha256.code, new Uint8Array(digest))
}
