import type { Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../repo/pin-records.ts'
import type { BlockStorage } from '@ipfsz/shared-store/storage'
import type { LinkDatastore } from '@ipfsz/core'
import type { Blockstore } from 'interface-blockstore'
import type { MultihashDigest } from 'multiformats'

/** A store to copy from. Nothing in it changes. */
export interface MigrationSource {
  /** Where its blocks lie, which no other store shares. */
  readonly place: string
  /** The blocks, decompressed, and not compared with their CIDs. */
  readonly blockstore: Pick<Blockstore, 'get'>
  /** The multihashes of all blocks, in batches. */
  list: (signal: AbortSignal) => AsyncIterable<MultihashDigest[]>
  /** What is pinned. Pins that cannot be read are left out. */
  pins: (signal: AbortSignal, onDamaged: (err: PinRecordError) => void) => AsyncIterable<Omit<Pin, 'plainCid'>>
  /** Undefined if it has none. */
  links: LinkDatastore | undefined
  close: () => Promise<void>
}

/** A store to copy to. */
export interface Destination {
  /** Where its blocks lie, which no other store shares. */
  readonly place: string
  /** The same blocks as they are stored. */
  readonly storage: Pick<BlockStorage, 'sync' | 'syncLater'>
  /** The blocks, which are compressed as the repo is set to. */
  readonly blockstore: Pick<Blockstore, 'has' | 'put'>
  /** The blocks, decompressed, and not compared with their CIDs. */
  readonly reader: Pick<Blockstore, 'get'>
  /** The repo, unless the store is a directory of blocks alone. */
  readonly session: Session | undefined
}
