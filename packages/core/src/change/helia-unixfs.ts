import * as dagPb from '@ipld/dag-pb'
import { raceSignal } from 'race-signal'
import { getBlock, verifyingBlockstore } from '../dag/block.ts'
import { checkDirectory, findEntry } from '../directory/directory.ts'
import { decodeNode } from '../dag/node.ts'
import { isSharded } from '../directory/shards.ts'
import { checkEntryName } from '../directory/entry-name.ts'
import { NotADirectoryError } from '../errors.ts'
import { isMarked, TREE_CODE, unmark } from '../marker.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CpOptions, UnixFS } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'

type Blockstore = ReadSettings['blockstore']

/** A directory in which an entry is about to change. */
interface ParentDirectory {
  /** Whether it has an entry of that name. */
  exists: boolean
  sharded: boolean
  /** Options that @helia/unixfs needs to handle it. */
  options: Pick<CpOptions, 'shardFanoutBits'>
}

/** @helia/unixfs, reading only blocks that match their CIDs. */
export async function heliaUnixfs (
  { blockstore }: { blockstore: Blockstore },
  options: GetBlockOptions
): Promise<UnixFS> {
  // loaded on first use: adding and reading files does not need it
  const { unixfs } = await import('@helia/unixfs')

  return unixfs({
    blockstore: {
      ...verifyingBlockstore(blockstore, options),
      put: (...args: Parameters<Blockstore['put']>) => blockstore.put(...args),
      has: (...args: Parameters<Blockstore['has']>) => blockstore.has(...args)
    }
  })
}

/**
 * Open the directory in which `name` is about to change. This is checked before calling
 * @helia/unixfs, which keeps only one of two entries of the same name, and assumes that every
 * sharded directory has 256 children per shard. If the CID does not name a directory, the
 * result is empty, and @helia/unixfs throws.
 *
 * @throws {NotADirectoryError} the CID is marked as a file
 * @throws {InvalidDagError} two entries have the same name, or an entry's name is not valid
 */
export async function openParent (
  parent: CID,
  name: string,
  blockstore: Blockstore,
  options: GetBlockOptions
): Promise<ParentDirectory> {
  checkEntryName(name)

  const directory = await openDirectory(unmark(parent), blockstore, options)

  if (isMarked(parent) && parent.code !== TREE_CODE) {
    throw new NotADirectoryError(`${parent} is marked as a file`)
  }

  return {
    exists: directory != null && await findEntry(directory, name, blockstore, options) != null,
    sharded: directory != null && isSharded(directory),
    options: shardOptions(directory)
  }
}

async function openDirectory (
  cid: CID,
  blockstore: Blockstore,
  options: GetBlockOptions
): Promise<FileNode | undefined> {
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

/** How many bits of a hash choose a child of a shard. */
function shardOptions (directory: FileNode | undefined): Pick<CpOptions, 'shardFanoutBits'> {
  return directory == null || !isSharded(directory)
    ? {}
    : { shardFanoutBits: Math.log2(Number(directory.unixfs.fanout)) }
}

/** Link the plain CID `source` into a directory. Returns a plain CID. */
export async function linkInto (
  source: CID,
  parent: CID,
  name: string,
  settings: { blockstore: Blockstore },
  options: CpOptions
): Promise<CID> {
  const directory = await openParent(parent, name, settings.blockstore, options)
  const fs = await heliaUnixfs(settings, options)
  const linked = fs.cp(source, unmark(parent), name, { ...directory.options, ...options })

  return raceSignal(linked, options.signal)
}
