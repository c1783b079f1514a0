import { storedOrPlain } from '../dag/stored-or-plain.ts'
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

  if ('getStored' in plain) {
    // a block that is missing there was moved into a pack meanwhile
    const { getStored } = plain as CompressedBlockstore
    Object.assign(blockstore, { getStored: storedOrPlain(getStored.bind(plain), blockstore) })
  }

  return {
    storage: new OwnStorage(places, 'stored'),
    blockstore,
    ...stored instanceof PackStorage && places.before == null ? { packs: async () => stored.packs() } : {},
    close: async () => places.close()
  }
}
