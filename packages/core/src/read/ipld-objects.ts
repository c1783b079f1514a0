import { walkPath } from 'ipfs-unixfs-exporter'
import { verifyingBlockstore } from '../dag/block.ts'
import type { ObjectReader } from './path.ts'
import type { Segment } from './path-cache.ts'

/** Reads IPLD objects with ipfs-unixfs-exporter, and so with its decoders and errors. */
export const ipldObjects: ObjectReader = {
  async follow (cid, names, blockstore, options) {
    const segments: Segment[] = []
    const path = `/ipfs/${cid}/${names.join('/')}`

    for await (const segment of walkPath(path, verifyingBlockstore(blockstore, options))) {
      segments.push(segment)
    }

    return segments.slice(1)
  }
}
