import * as dagPb from '@ipld/dag-pb'
import { raceSignal } from 'race-signal'
import { getBlock, verifyingBlockstore } from '../dag/block.ts'
import { checkDirectory, findEntry } from '../directory/directory.ts'
import { isWrittenWrongly } from '../dag/mend-layout.ts'
import { decodeNode } from '../dag/node.ts'
import { rewriteRoot, writeRewritten } from '../directory/rewrite.ts'
import { isSharded } from '../directory/shards.ts'
import { checkEntryName } from '../directory/entry-name.ts'
import { NotADirectoryError } from '../errors.ts'
import { isMarked, TREE_CODE, unmark } from '../marker.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CpOptions, MkdirOptions, UnixFS } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'

type Blockstore = ReadSettings['blockstore']

/** Added to a time that is written wrongly, it makes one that is not, and has as many bytes. */
const LATER = 2n ** 32n

/** Options that @helia/unixfs needs to handle a sharded directory. */
type ShardOptions = Pick<CpOptions, 'shardFanoutBits'>

/** A directory in which an entry is about to change. */
interface ParentDirectory {
  /** Its plain CID. */
  cid: CID
  /** Whether it has an entry of that name. */
  exists: boolean
  sharded: boolean
  /** Its UnixFS message and links, if it is a directory at all. */
  node: FileNode | undefined
}

/** Changes a directory. Returns its new plain CID. */
type Change = (fs: UnixFS, parent: CID, options: ShardOptions) => Promise<CID>

/** @helia/unixfs, reading only blocks that match their CIDs. */
async function heliaUnixfs (
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
    cid: unmark(parent),
    exists: directory != null && await findEntry(directory, name, blockstore, options) != null,
    sharded: directory != null && isSharded(directory),
    node: directory
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

/**
 * Change a directory by @helia/unixfs. That one writes the mtime of a sharded directory again, and times from 2038 to
 * 2106 wrongly (see `marshal`). So it gets such a directory with a later time, which has as many bytes and is written
 * correctly, and the result gets the right time.
 */
export async function changeDirectory (
  { cid, node, sharded }: ParentDirectory,
  settings: { blockstore: Blockstore },
  options: GetBlockOptions,
  change: Change
): Promise<CID> {
  const { blockstore } = settings
  const fs = await heliaUnixfs(settings, options)
  const changeIt = async (parent: CID): Promise<CID> =>
    // how many bits of a hash choose a child of a shard
    change(fs, parent, sharded ? { shardFanoutBits: Math.log2(Number(node?.unixfs.fanout)) } : {})
  const mtime = sharded ? node?.unixfs.mtime : undefined

  if (mtime == null || !isWrittenWrongly(mtime.secs)) {
    return raceSignal(changeIt(cid), options.signal)
  }

  const withTime = async (directory: CID, secs: bigint): Promise<CID> => {
    const block = await getBlock(directory, blockstore, options)
    const rewritten = rewriteRoot(directory, block, { mtime: { ...mtime, secs } })

    return (await writeRewritten(rewritten, directory.version, blockstore, options)).cid
  }
  const later = await withTime(cid, mtime.secs + LATER)
  const changed = await raceSignal(changeIt(later), options.signal)

  return withTime(changed, mtime.secs)
}

/** Link the plain CID `source` into a directory. Returns a plain CID. */
export async function linkInto (
  source: CID,
  parent: CID,
  name: string,
  settings: { blockstore: Blockstore },
  options: CpOptions & Pick<MkdirOptions, 'cidVersion'>
): Promise<CID> {
  const directory = await openParent(parent, name, settings.blockstore, options)

  return changeDirectory(directory, settings, options, async (fs, parent, shards) =>
    fs.cp(source, parent, name, { ...shards, ...options }))
}
