import { UnixFS } from 'ipfs-unixfs'
import { linkInto } from '../change/helia-unixfs.ts'
import { marshal } from '../dag/marshal.ts'
import { writeRewritten } from '../directory/rewrite.ts'
import { isMarked, mark, TREE_CODE } from '../marker.ts'
import type { MkdirOptions } from '../unixfs.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

/** The same as in @helia/unixfs, whose directory has a wrong time if that is from 2038 to 2106. */
export async function mkdir (parent: CID, name: string, settings: Settings, options: MkdirOptions = {}): Promise<CID> {
  options.signal?.throwIfAborted()

  const { mode, mtime, cidVersion = 1, ...rest } = options
  const data = marshal(new UnixFS({ type: 'directory', mode, mtime }))
  const { cid } = await writeRewritten({ data, links: [] }, cidVersion, settings.blockstore, options)
  const result = await linkInto(cid, parent, name, settings, { cidVersion, ...rest })

  return isMarked(parent) ? mark(result, TREE_CODE) : result
}
