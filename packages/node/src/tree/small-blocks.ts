import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freeBlock } from '@ipfsz/utils/free-bytes'
import { NextToLast } from 'blockstore-fs/sharding'
import type { JoinedBlocks, SmallBlocks } from './protocol.ts'
import type { CID } from 'multiformats/cid'

/** Is given a block and its place among those that were asked for. The memory is used again once it has returned. */
export type UseBlock = (bytes: Uint8Array, index: number) => void

/** Blocks that a thread reads. */
export interface BlockReader {
  /** Read blocks. Those that are not there, or cannot be read, are left out. Nobody has checked them. */
  read (cids: readonly CID[], use: UseBlock): Promise<void>
}

/** Open the blocks of a repo. */
export async function openBlocks (blocks: SmallBlocks): Promise<BlockReader> {
  if (blocks.layout === 'sent') {
    return { read: async () => {} }
  }

  return blocks.layout === 'packs' ? openPacks(blocks.path) : openFiles(blocks.path)
}

async function openPacks (path: string): Promise<BlockReader> {
  const { PackedBlockstore } = await import('@ipfsz/blockstore-packed')
  const store = new PackedBlockstore(path, { verify: false })
  await store.open()

  return {
    read: async (cids, use) => store.readEach(cids, use)
  }
}

/** The files of a SharedFsBlockstore. */
function openFiles (path: string): BlockReader {
  const sharding = new NextToLast()

  return {
    async read (cids, use) {
      for (const [i, cid] of cids.entries()) {
        const { dir, file } = sharding.encode(cid)
        const block = readFile(join(path, dir, file))

        if (block != null) {
          use(block, i)
          freeBlock(block)
        }
      }
    }
  }
}

/** The blocks of a request. */
export function sentBlocks ({ bytes, lengths }: JoinedBlocks): BlockReader {
  return {
    async read (_cids, use) {
      let end = 0

      for (const [i, length] of lengths.entries()) {
        if (length >= 0) {
          use(bytes.subarray(end, end += length), i)
        }
      }
    }
  }
}

function readFile (path: string): Uint8Array | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
