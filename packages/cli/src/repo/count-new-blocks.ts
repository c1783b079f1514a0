import { viewOf } from '../dag/view-of.ts'
import type { IpfszComponents } from '@ipfsz/core'

type Blocks = IpfszComponents['blockstore']

/** A view of a blockstore that counts the bytes of blocks that were not in it before. */
export function countNewBlocks (blockstore: Blocks): { blockstore: Blocks, newBytes: () => number } {
  const writing = new Set<string>()
  let bytes = 0

  return {
    newBytes: () => bytes,
    blockstore: viewOf(blockstore, {
      async put (cid, block, options) {
        const key = cid.toString()
        const isFirst = !writing.has(key)

        try {
          writing.add(key)

          if (isFirst && block instanceof Uint8Array && !await blockstore.has(cid, options)) {
            bytes += block.byteLength
          }

          return await blockstore.put(cid, block, options)
        } finally {
          if (isFirst) {
            writing.delete(key)
          }
        }
      }
    })
  }
}
