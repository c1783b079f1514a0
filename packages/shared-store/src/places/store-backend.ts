import type { BlockStorage } from '../storage/block-storage.ts'
import type { FreeSpace } from '../storage/free-space.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StoreTraffic } from '../objects/store-traffic.ts'
import type { StoreWatch } from '../objects/store-watch.ts'

export interface BackendInit {
  /** Aborted by Ctrl-C. Ends requests to a store over the network, and later ones after a short time. */
  signal?: AbortSignal | undefined
}

/** A place that can be a store: a directory, or a bucket and a prefix. */
export interface StoreBackend {
  /** For messages, and for the references of repos. Without credentials. */
  readonly name: string
  /** Whether it is asked over the network. A mounted file system has caches of its own. */
  readonly isRemote: boolean
  /** What was asked of it. */
  readonly traffic: StoreTraffic
  /** Whether it answers. */
  readonly watch: StoreWatch
  /** The mark, sessions, collections and nodes. */
  readonly objects: ObjectStore
  /** The same objects for what is deleted and put again under one key. Each delete is sent once at most. */
  readonly records: ObjectStore
  /** The space on its disk that blocks may take. Undefined: it refuses what it has no space for. */
  readonly freeSpace?: FreeSpace | undefined
  /**
   * Make ready to write, and delete what killed processes have left unfinished.
   *
   * @throws {StoreMissingError}
   * @throws {StoreError} it cannot be written
   */
  open (): Promise<void>
  /** The blocks, if each is an object: they are read and deleted, and none is added. */
  older (): BlockStorage
  /**
   * Whether there is nothing at all yet.
   *
   * @throws {StoreError} it is not there
   */
  isEmpty (): Promise<boolean>
  /** Objects to write the first mark with, while nothing else is there. */
  readonly unmarked: ObjectStore
}
