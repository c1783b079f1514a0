import { quoteName } from '@ipfsz/utils/quote-name'
import { UnixFS } from 'ipfs-unixfs'
import { changeMetadata } from '../change/change-metadata.ts'
import { changeDirectory, linkInto, openParent } from '../change/helia-unixfs.ts'
import { marshal } from '../dag/marshal.ts'
import { writeRewritten } from '../directory/rewrite.ts'
import { DoesNotExistError, MissingHeaderError } from '../errors.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import { openEntry } from '../read/entry.ts'
import type { Settings } from '../settings.ts'
import type { ChmodOptions, CpOptions, MkdirOptions, RmOptions, TouchOptions } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

export async function chmod (cid: CID, mode: number, settings: Settings, options: ChmodOptions = {}): Promise<CID> {
  return changeMetadata(cid, { mode }, settings, options)
}

export async function touch (cid: CID, settings: Settings, options: TouchOptions = {}): Promise<CID> {
  const { mtime = { secs: BigInt(Math.round(Date.now() / 1000)), nsecs: 0 } } = options

  return changeMetadata(cid, { mtime }, settings, options)
}

export async function cp (
  source: CID,
  target: CID,
  name: string,
  settings: Settings,
  options: CpOptions = {}
): Promise<CID> {
  options.signal?.throwIfAborted()

  if (isMarked(source)) {
    // inside a tree, nothing would say how a file without a header is compressed
    const { stream } = await openEntry(source, settings, options, settings.roots)

    if (stream != null) {
      throw new MissingHeaderError(source)
    }
  }

  const result = await linkInto(unmark(source), target, name, settings, options)

  return isMarked(source) || isMarked(target) ? mark(result, TREE_CODE) : result
}

/** The same as in @helia/unixfs, whose directory has a wrong time if that is from 2038 to 2106. */
export async function mkdir (parent: CID, name: string, settings: Settings, options: MkdirOptions = {}): Promise<CID> {
  options.signal?.throwIfAborted()

  const { mode, mtime, cidVersion = 1, ...rest } = options
  const data = marshal(new UnixFS({ type: 'directory', mode, mtime }))
  const { cid } = await writeRewritten({ data, links: [] }, cidVersion, settings.blockstore, options)
  const result = await linkInto(cid, parent, name, settings, { cidVersion, ...rest })

  return isMarked(parent) ? mark(result, TREE_CODE) : result
}

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
