import type { RepoPins } from '../../src/repo/repo-pins.ts'
import type { Disk } from '@ipfsz/blockstore-packed'
import type { ObjectStore } from '@ipfsz/shared-store/objects'
import type { PackStorage } from '@ipfsz/shared-store/packs'
import type { StoreSession } from '@ipfsz/shared-store/sessions'

/** A fault that is planted into the nodes, to see whether the simulation finds it. */
export interface Plant {
  /** What a process sees of the store. */
  objects?: (objects: ObjectStore) => ObjectStore
  /** The same of the sessions of those who add or pin. */
  sessionObjects?: (objects: ObjectStore) => ObjectStore
  disk?: (disk: Disk) => Disk
  storage?: (storage: PackStorage) => void
  /** Of those who add or pin. */
  session?: (session: StoreSession) => void
  /** Called before a collection. */
  collection?: (pins: RepoPins, objects: ObjectStore) => Promise<void> | void
  /** Whether `pin add` has no session. */
  pinsWithoutSession?: boolean
  /** Whether a session that was fenced removes the pin that it has written. */
  takesPinsBack?: boolean
  /** Changes code. @returns what takes that back */
  patch?: () => () => void
}
