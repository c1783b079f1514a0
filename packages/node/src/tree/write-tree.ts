import { unmark } from '@ipfsz/core'
import { checkNothingThere } from '../disk/get-target.ts'
import { metadataOf, readUmask, restoreDirectory } from '../disk/restore-metadata.ts'
import { makeTemporary } from '../disk/temporary-directory.ts'
import { TreeWriter } from './tree-writer.ts'
import { walkTree } from './walk-tree.ts'
import type { TreeCounts, TreeWriterInit } from './tree-writer.ts'
import type { WalkTreeOptions } from './walk-tree.ts'
import type { DirectoryEntry } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The directory to write. */
export interface TreeRoot extends Pick<DirectoryEntry, 'unixfs' | 'mtime'> {
  /** The CID to read it by, marked or plain. */
  cid: CID
}

export interface WriteTreeOptions extends TreeWriterInit, WalkTreeOptions {
  /** Is given what deletes the unfinished tree, after a failure: of many files that takes seconds. */
  whileRemoving: (remove: () => Promise<void>) => Promise<void>
}

/**
 * Write a whole tree to disk under its name, or nothing.
 *
 * Every directory is new and held, its files and subdirectories are created before its symlinks, and nothing replaces
 * an existing entry. So nothing is written through a symlink, neither one of the tree nor one that another program
 * creates meanwhile.
 *
 * @throws {TreeEntryError} an entry cannot be written under its name, or is a symlink that leads out of the tree
 * @throws {OutputTooLargeError} the tree is larger than the limits allow
 */
export async function writeTree (
  target: string,
  root: TreeRoot,
  options: WriteTreeOptions
): Promise<TreeCounts> {
  const { progress, signal } = options

  await checkNothingThere(target, 'a directory')

  // before threads write
  readUmask()
  const temporary = await makeTemporary(target)
  const writer = new TreeWriter(temporary.directory, root.cid, options)

  try {
    await walkTree({ cid: unmark(root.cid), metadata: {} }, writer, options)
    await temporary.complete(async directory => restoreDirectory(directory, metadataOf(root)))
  } catch (err) {
    await writer.close()
    progress.end()
    await options.whileRemoving(async () => temporary.remove())
    throw signal.aborted ? signal.reason : err
  } finally {
    await temporary.close()
    progress.end()
  }

  return writer.counts
}
