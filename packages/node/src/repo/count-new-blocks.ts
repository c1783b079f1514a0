import { unmark } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { walkDag } from '../dag/dag-walk.ts'
import { MultihashMap } from '../dag/multihash-map.ts'
import { viewOf } from '../dag/view-of.ts'
import type { ReachedBlocks } from '../dag/reached.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

type Blocks = IpfszComponents['blockstore']

/** States of a block that was put. */
const NEW = 1
const COUNTED = 2

interface NewBlocks {
  /** A view of the blockstore that notes what is put. */
  blockstore: Blocks
  /**
   * Bytes of the new blocks that a root reaches, without those of earlier roots. Blocks that were stored before have no
   * new ones below them, so nothing below them is read. What was written for nothing, because a file turned out not to
   * have changed, does not count.
   */
  newBytes (root: CID, signal: AbortSignal): Promise<number>
}

/** Note which blocks were not in a blockstore before, about 50 bytes for each, to tell what roots take. */
export function countNewBlocks (blockstore: Blocks): NewBlocks {
  const states = new MultihashMap()
  const writing = new Set<string>()

  return {
    async newBytes (root, signal) {
      let bytes = 0

      const walked = walkDag(unmark(root), blockstore, { signal, leaves: 'skip', reached: onlyNew(states) })

      for await (const block of walked) {
        bytes += block.bytes?.byteLength ?? block.statedSize ?? await sizeOf(block.cid, blockstore, signal)
      }

      return bytes
    },
    blockstore: viewOf(blockstore, {
      async put (cid, block, options) {
        const key = cid.toString()
        const isFirst = !writing.has(key)

        try {
          writing.add(key)

          if (isFirst && states.get(cid.multihash.bytes) == null && !await blockstore.has(cid, options)) {
            states.set(cid.multihash.bytes, NEW)
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

/** For a walk that goes no further than new blocks, each of them once. */
function onlyNew (states: MultihashMap): ReachedBlocks {
  return {
    add ({ multihash: { bytes } }) {
      if (states.get(bytes) !== NEW) {
        return undefined
      }

      states.set(bytes, COUNTED)

      return true
    },
    keep () {},
    isKept: () => false,
    has: bytes => states.get(bytes) === COUNTED
  }
}

async function sizeOf (cid: CID, blockstore: Blocks, signal: AbortSignal): Promise<number> {
  return (await collectBytes(blockstore.get(cid, { signal }))).byteLength
}
