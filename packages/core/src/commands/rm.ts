import { quoteName } from '@ipfsz/utils/quote-name'
import { DoesNotExistError } from '../errors.ts'
import { changeDirectory, openParent } from '../change/helia-unixfs.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import type { RmOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

export async function rm (parent: CID, name: string, settings: Settings, options: RmOptions = {}): Promise<CID> {
  options.signal?.throwIfAborted()

  const directory = await openParent(parent, name, settings.blockstore, options)

  if (directory.sharded && !directory.exists) {
    // @helia/unixfs would throw an error without a name
    throw new DoesNotExistError(`The directory ${unmark(parent)} has no entry named ${quoteName(name)}`)
  }

  const result = await changeDirectory(directory, settings, options, async (fs, cid, shards) =>
    fs.rm(cid, name, { ...shards, ...options }))

  return isMarked(parent) ? mark(result, TREE_CODE) : result
}
