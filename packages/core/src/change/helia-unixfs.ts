import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { raceSignal } from 'race-signal'
import { getBlock, verifying } from '../dag/block.ts'
import { checkDirectory, findEntry } from '../directory/directory.ts'
import { decodeNode } from '../dag/node.ts'
import { isSharded } from '../directory/shards.ts'
import { checkEntryName } from '../directory/entry-name.ts'
import { NotADirectoryError } from '../errors.ts'
import { isMarked, TREE_CODE, unmark } from '../marker.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { Settings } from '../settings.ts'
import type { CpOptions, UnixFS } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'

type Blockstore = Settings['blockstore']

/** A directory in which an entry is to be changed. */
export interface Target {
  /** Whether there is an entry of the name. */
  exists: boolean
  sharded: boolean
  /** What @helia/unixfs must be told of it. */
  options: Pick<CpOptions, 'shardFanoutBits'>
}

/** The verbs of @helia/unixfs, on blocks that have been compared with their hash. */
export function heliaUnixfs ({ blockstore }: { blockstore: Blockstore }, options: GetBlockOptions): UnixFS {
  return unixfs({
    blockstore: {
      ...verifying(blockstore, options),
      put: (...args: Parameters<Blockstore['put']>) => blockstore.put(...args),
      has: (...args: Parameters<Blockstore['has']>) => blockstore.has(...args)
    }
  })
}

/**
 * The directory in which `name` is to be changed, looked at before @helia/unixfs does
 * it: that keeps one of two entries of one name, and takes every sharded directory
 * for one of 256 children a shard. Nothing where it is no directory: then
 * @helia/unixfs says so.
 *
 * @throws {NotADirectoryError} the CID is marked as a file
 * @throws {InvalidDagError} there are two entries of one name, or one is called as none may be
 */
export async function openTarget (target: CID, name: string, blockstore: Blockstore, options: GetBlockOptions): Promise<Target> {
  checkEntryName(name)

  const directory = await openDirectory(unmark(target), blockstore, options)

  if (isMarked(target) && target.code !== TREE_CODE) {
    throw new NotADirectoryError(`${target} is marked as a file`)
  }

  return {
    exists: directory != null && await findEntry(directory, name, blockstore, options) != null,
    sharded: directory != null && isSharded(directory),
    options: shardOptions(directory)
  }
}

async function openDirectory (cid: CID, blockstore: Blockstore, options: GetBlockOptions): Promise<FileNode | undefined> {
  if (cid.code !== dagPb.code) {
    return undefined
  }

  const node = decodeNode(cid, await getBlock(cid, blockstore, options))

  if (!node.unixfs.isDirectory()) {
    return undefined
  }

  checkDirectory(node)

  return node
}

/** The bits of a hash that choose a child in a shard, as @helia/unixfs wants to be told. */
function shardOptions (directory: FileNode | undefined): Pick<CpOptions, 'shardFanoutBits'> {
  return directory == null || !isSharded(directory)
    ? {}
    : { shardFanoutBits: Math.log2(Number(directory.unixfs.fanout)) }
}

/** Link what is at `source`, a plain CID, into a directory. The result is plain. */
export async function linkInto (source: CID, target: CID, name: string, settings: { blockstore: Blockstore }, options: CpOptions): Promise<CID> {
  const found = await openTarget(target, name, settings.blockstore, options)
  const linked = heliaUnixfs(settings, options).cp(source, unmark(target), name, { ...found.options, ...options })

  return raceSignal(linked, options.signal)
}
