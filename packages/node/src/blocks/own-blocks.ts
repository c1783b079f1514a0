import { collectBytes } from '@ipfsz/utils/bytes'
import { isMissing } from '../dag/missing.ts'
import { OwnStorage } from './own-storage.ts'
import { PackStorage } from './pack-storage.ts'
import { Places } from './places.ts'
import type { PlacesInit } from './places.ts'
import type { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { Blockstore } from 'interface-blockstore'

/** The blocks that a repo keeps itself. */
export interface OwnBlocks {
  storage: BlockStorage
  /** Decompressed. */
  blockstore: Blockstore
  /** The packs that all blocks are in, open. Undefined if some are files. */
  packs?: () => Promise<PackedBlockstore>
  /** Close what is open. What was put is written, and survives a loss of power if it was synced. */
  close: () => Promise<void>
}

export async function ownBlocks (init: PlacesInit): Promise<OwnBlocks> {
  const places = await Places.open(init)
  const { stored, plain } = places.now
  const blockstore = new OwnStorage(places, 'plain')

  return {
    storage: new OwnStorage(places, 'stored'),
    blockstore: 'getStored' in plain ? withStored(blockstore, plain as CompressedBlockstore) : blockstore,
    ...stored instanceof PackStorage && places.before == null ? { packs: async () => stored.packs() } : {},
    close: async () => places.close()
  }
}

/** Blocks that a gateway can send as they are stored. */
function withStored (
  blockstore: OwnStorage,
  files: Pick<CompressedBlockstore, 'getStored'>
): OwnStorage & Pick<CompressedBlockstore, 'getStored'> {
  return Object.assign(blockstore, {
    async getStored (...[cid, options]: Parameters<CompressedBlockstore['getStored']>) {
      try {
        return await files.getStored(cid, options)
      } catch (err) {
        if (!isMissing(err)) {
          throw err
        }

        // moved into a pack meanwhile
        const payload = await collectBytes(blockstore.get(cid, options))

        return { codec: 'none' as const, size: payload.byteLength, payload }
      }
    }
  })
}
