import { randomUUID } from 'node:crypto'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { NodeDisk } from '@ipfsz/blockstore-packed/whole'
import { StoreError, StoreMissingError } from './errors.ts'
import { refuseOlder } from './older/refuse-older.ts'
import { PackStorage } from './packs/pack-storage.ts'
import { ObjectDatastore } from './records/object-datastore.ts'
import { openBackend, resolveStore } from './places/open-backend.ts'
import { isStoreAway } from './objects/store-away.ts'
import { checkUsable, DEFAULT_LEASE_TIMEOUT, readMark, writeMark } from './places/store-mark.ts'
import type { Clock } from './clock.ts'
import type { BlockStorage } from './storage/block-storage.ts'
import type { BackendInit, StoreBackend } from './places/store-backend.ts'
import type { StoreCompression, StoreMark } from './places/store-mark.ts'
import type { StoreReference } from './store-reference.ts'
import type { Links, Records } from './records/records.ts'
import type { ObjectStore } from './objects/object-store.ts'
import type { StoreTraffic } from './objects/store-traffic.ts'
import type { StoreWatch } from './objects/store-watch.ts'
import type { Blockstore } from 'interface-blockstore'

/** A store that several nodes share, opened. */
export interface SharedStore extends StoreMark {
  /** For messages. */
  readonly name: string
  /** Whether it is asked over the network, so that what is read is worth keeping on the disk of a node. */
  readonly isRemote: boolean
  /** Maximum bytes that this node keeps of it, if that was set. */
  readonly cacheSize: number | undefined
  /** The objects of sessions and collections, among others. */
  readonly objects: ObjectStore
  /** The packs. Undefined: each block is an object, and none can be added. */
  readonly packs: PackStorage | undefined
  /** What this process asked of it. */
  readonly traffic: StoreTraffic
  /** Whether it answers. */
  readonly watch: StoreWatch
  /** Time, for sessions and collections. @default the system's */
  readonly clock?: Clock | undefined
}

export interface StoreParts {
  storage: BlockStorage
  blockstore: Blockstore
  records: Records
  links: Links
  shared: SharedStore
}

export interface OpenStoreInit extends BackendInit {
  /**
   * Read the mark as it was last seen, for who reads what is kept on this node: it counts while the store is away.
   *
   * @default none: the store must answer
   */
  readKeptMark?: (() => Promise<StoreMark | undefined>) | undefined
  /**
   * A directory of this node for what it knows of the packs of the store. It may be deleted at any time.
   *
   * @default in memory
   */
  indexDirectory?: string | undefined
}

/**
 * Open the store of a repo.
 *
 * @throws {StoreMissingError} nothing, or another store, lies where it was
 * @throws {StoreError} it cannot be reached, or a newer ipfsz made it
 * @throws the reason of the signal
 */
export async function openStore (
  { store, id, cache }: StoreReference,
  { readKeptMark, indexDirectory, ...init }: OpenStoreInit = {}
): Promise<StoreParts> {
  const backend = await openBackend(store, init)
  const read = async (): Promise<StoreMark | undefined> => readMark(backend.unmarked, backend.name)
  const mark = await (readKeptMark == null ? read() : backend.watch.read(read).catch(async (err: unknown) => {
    const kept = isStoreAway(err) ? await readKeptMark() : undefined

    if (kept == null) {
      throw err
    }

    return kept
  }))

  if (mark?.id !== id) {
    throw new StoreMissingError(backend.name, { other: mark != null })
  }

  checkUsable(mark, backend.name)

  return partsOf(backend, mark, { cacheSize: cache, indexDirectory })
}

export interface JoinedStore {
  reference: StoreReference
  compression: StoreCompression
  /** Whether there was none before. */
  isNew: boolean
}

/**
 * Make a store of an empty place, or join the one that is there.
 *
 * @param store - a directory that exists, or a URL that begins with s3://
 * @throws {StoreError} something else is there, or a store to which nothing can be added
 * @throws {UsageError} it is a URL of another kind
 */
export async function joinStore (
  store: string,
  { signal }: { signal?: AbortSignal | undefined } = {}
): Promise<JoinedStore> {
  return joinBackend(await openBackend(await resolveStore(store), { signal }))
}

/** Like `joinStore`, for a place that is open. */
export async function joinBackend (
  { isEmpty, name, unmarked }: Pick<StoreBackend, 'isEmpty' | 'name' | 'unmarked'>
): Promise<JoinedStore> {
  const before = await readMark(unmarked, name)
  const isNew = before == null && await isEmpty()

  if (isNew) {
    await writeMark(unmarked, {
      id: randomUUID(), compression: { codec: 'zstd' }, leaseTimeout: DEFAULT_LEASE_TIMEOUT
    })
  }

  // what another node has made at the same time counts: its mark may be why the place is no longer empty
  const mark = await readMark(unmarked, name)

  if (mark == null) {
    throw isNew
      ? new StoreMissingError(name)
      : new StoreError(
        `${name} has files or objects, but no mark of a store: use an empty directory or prefix. ` +
          'If it is a store, its mark ipfsz-store.json was lost: restore it from a backup'
      )
  }

  checkUsable(mark, name)

  if (mark.isOlder === true) {
    refuseOlder(name)
  }

  return { reference: { store: name, id: mark.id }, compression: mark.compression, isNew }
}

function partsOf (
  backend: StoreBackend,
  mark: StoreMark,
  { cacheSize, indexDirectory }: {
    cacheSize: number | undefined
    indexDirectory: string | undefined
  }
): StoreParts {
  const { name, objects, isRemote, traffic, watch } = backend
  const recordsOf = (): ObjectDatastore => new ObjectDatastore(backend.records, { prefix: 'records', name })
  const packs = mark.isOlder === true
    ? undefined
    : new PackStorage({
      objects,
      disk: indexDirectory == null ? undefined : new NodeDisk(indexDirectory),
      level: mark.compression.level,
      freeSpace: backend.freeSpace,
      open: async () => backend.open()
    })
  const storage = packs ?? backend.older()

  return {
    storage,
    blockstore: packs ?? new CompressedBlockstore(storage, mark.compression),
    records: recordsOf(),
    links: {
      exist: async () => true,
      open: recordsOf
    },
    shared: { ...mark, name, isRemote, cacheSize, objects, packs, traffic, watch }
  }
}
