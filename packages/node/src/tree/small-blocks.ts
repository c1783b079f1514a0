import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NextToLast } from 'blockstore-fs/sharding'
import { MAX_BYTES } from './protocol.ts'
import type { SmallBlocks } from './protocol.ts'
import type { CID } from 'multiformats/cid'

/** Blocks that a thread reads. */
export interface BlockReader {
  /** Read blocks. Those that are not there, cannot be read, or are too many, are undefined. Nobody has checked them. */
  read (cids: readonly CID[]): Promise<Array<Uint8Array | undefined>>
}

/** Open the blocks of a repo. */
export async function openBlocks (blocks: SmallBlocks): Promise<BlockReader> {
  if (blocks.layout === 'sent') {
    return { read: async cids => cids.map(() => undefined) }
  }

  return blocks.layout === 'packs' ? openPacks(blocks.path) : openFiles(blocks.path)
}

async function openPacks (path: string): Promise<BlockReader> {
  const { PackedBlockstore } = await import('@ipfsz/blockstore-packed')
  const store = new PackedBlockstore(path, { verify: false })
  await store.open()

  return {
    read: async cids => store.readTogether(cids, { maxBytes: MAX_BYTES })
  }
}

/** The files of a SharedFsBlockstore. */
function openFiles (path: string): BlockReader {
  const sharding = new NextToLast()

  return {
    async read (cids) {
      let bytes = 0

      return cids.map(cid => {
        const { dir, file } = sharding.encode(cid)
        const block = bytes > MAX_BYTES ? undefined : readFile(join(path, dir, file))
        bytes += block?.byteLength ?? 0

        return block
      })
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
