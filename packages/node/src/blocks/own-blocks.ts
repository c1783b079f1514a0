import { FileStorage } from '@ipfsz/shared-store/storage'
import { PackStorage } from './pack-storage.ts'
import { PlainBlockstore } from './plain-blockstore.ts'
import type { BlockSetting } from './block-setting.ts'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { Blockstore } from 'interface-blockstore'

/** The blocks that a repo keeps itself. */
export interface OwnBlocks {
  /** As they are stored. */
  storage: BlockStorage
  /** Decompressed. */
  blockstore: Blockstore
  /** The packs that they are in, open. Undefined if they are files. */
  packs?: () => Promise<PackedBlockstore>
  /** Close what is open. What was put and not synced is not lost, unless the power is. */
  close: () => Promise<void>
}

/**
 * The blocks in a directory.
 *
 * @param sync - whether `storage.sync` waits until blocks survive a loss of power
 */
export async function ownBlocks (
  directory: string,
  { layout, compression }: BlockSetting,
  sync: boolean
): Promise<OwnBlocks> {
  if (layout === 'packs') {
    const storage = new PackStorage(directory, { sync })

    return {
      storage,
      blockstore: storage,
      packs: async () => storage.packs(),
      close: async () => storage.close()
    }
  }

  const storage = new FileStorage(directory, { sync })

  if (compression == null) {
    return { storage, blockstore: new PlainBlockstore(storage), close: async () => storage.settled() }
  }

  const { CompressedBlockstore } = await import('@ipfsz/blockstore-compressed')

  return {
    storage,
    blockstore: new CompressedBlockstore(storage, compression),
    close: async () => storage.settled()
  }
}
