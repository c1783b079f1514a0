import { InvalidParametersError } from '../errors.ts'
import { unmark } from '../marker.ts'
import { TreeMap } from './map-tree.ts'
import { treeId } from './records.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { MappedEntry, MapTreeInit } from './map-tree.ts'
import type { OriginalIndex } from './original-index.ts'
import type { Original } from './records.ts'
import type { CID } from 'multiformats/cid'

/**
 * Write the entries of the directories that a tree has with its files uncompressed. Reads the directories twice: the
 * keys of the entries hold the root, which is known only at the end.
 *
 * @param compressed - the tree CID
 * @param init.mapFile - returns the original of a file
 * @throws {InvalidParametersError} it is not a directory, or has no compressed file
 */
export async function recordTree (
  compressed: CID,
  init: Pick<MapTreeInit, 'blockstore' | 'mapFile'>,
  index: OriginalIndex,
  options: GetBlockOptions
): Promise<Original> {
  const map = async (onDirectory: MapTreeInit['onDirectory']): Promise<MappedEntry | undefined> =>
    new TreeMap({ ...init, onDirectory }, options).map(unmark(compressed))
  let isDirectory = false
  const root = await map(async () => { isDirectory = true })

  if (root == null || !isDirectory) {
    throw new InvalidParametersError(`${compressed} is not a directory with a compressed file`)
  }

  const original: Original = { original: root.cid, compressed, type: 'directory', dagSize: root.dagSize }
  const id = treeId(compressed, root.cid)

  if (await index.get(id) == null) {
    await index.begin(id)
    await map(async ({ from, to }) => {
      if (to.cid.equals(from.cid)) {
        // the compressed tree has it too
        return
      }

      await index.write(id, [[to.cid.multihash, { kind: 'node', bytes: to.block }]])
    })
    await index.complete(original)
  }

  return original
}
