import { viewOf } from '../dag/view-of.ts'
import type { DerivedBlockstore } from '@ipfsz/core/originals'
import type { IpfszComponents } from '@ipfsz/core'

type Store = IpfszComponents['blockstore']

/**
 * The blocks that files are read from if originals are served. It does not admit to having the root of an original
 * file: such a file is then read through its link, and goes out in the frames that are stored. All its blocks, and
 * those of original directories, are there for whoever follows a path or asks for a block.
 *
 * @param blocks - the blocks of the repo and of the originals
 */
export function linkedFirst (
  blocks: Store,
  repo: Pick<Store, 'has'>,
  originals: Pick<DerivedBlockstore, 'original'>
): Store {
  return viewOf(blocks, {
    has: async (cid, options) =>
      await repo.has(cid, options) || (await originals.original(cid))?.type === 'directory'
  })
}
