import { randomUUID } from 'node:crypto'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { NodeDisk } from '@ipfsz/blockstore-packed/whole'
import { StoreError, StoreMissingError, UsageError } from './errors.ts'
import { PackStorage } from './packs/pack-storage.ts'
import { ObjectDatastore } from './records/object-datastore.ts'
import { openBackend, resolveStore } from './places/open-backend.ts'
import { isStoreAway } from './objects/store-away.ts'
import { checkUsable, DEFAULT_LEASE_TIMEOUT, readMark, writeMark } from './places/store-mark.ts'
import type { Clock } from './clock.ts'
import type { BlockStorage } from './storage/block-storage.ts'
import type { BackendInit, StoreBackend } from './places/store-backend.ts'
import type { StoreCompression, StoreLayout, StoreMark } from './places/store-mark.ts'
import type { StoreReference } from './store-reference.ts'
import type { Links, Records } from './records/records.ts'
import type { ObjectStore } from './objects/object-store.ts'
import type { StoreTraffic } from './objects/store-traffic.ts'
import type { StoreWatch } from './objects/store-watch.ts'
import type { S3Validity } from '@ipfsz/blockstore-s3'
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
  /** The packs. Undefined: each block is an object. */
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
   * Whether blocks survive a power cut once `sync` of the storage returns.
   *
   * @default true
   */
  sync?: boolean
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
  { sync = true, readKeptMark, indexDirectory, ...init }: OpenStoreInit = {}
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

  return partsOf(backend, mark, { sync, cacheSize: cache, indexDirectory })
}

export interface JoinStoreOptions {
  /**
   * How the store is to compress blocks.
   *
   * @default as the store does, and a new one with zstd
   */
  compression?: StoreCompression | undefined
  /**
   * Whether each block is an object, or many of them are in a pack.
   *
   * @default as in the store, and in a new one each block is an object
   */
  layout?: StoreLayout | undefined
  signal?: AbortSignal | undefined
}

export interface JoinedStore {
  reference: StoreReference
  compression: StoreCompression
  layout: StoreLayout
  /** Whether there was none before. */
  isNew: boolean
}

/**
 * Make a store of an empty place, or join the one that is there.
 *
 * @param store - a directory that exists, or a URL that begins with s3://
 * @throws {StoreError} something else is there, or it compresses otherwise, or has another layout
 * @throws {UsageError} it is a URL of another kind, or both packs and a codec are asked for
 */
export async function joinStore (
  store: string,
  { compression, layout, signal }: JoinStoreOptions = {}
): Promise<JoinedStore> {
  return joinBackend(await openBackend(await resolveStore(store), { signal }), compression, layout)
}

/** Like `joinStore`, for a place that is open. */
export async function joinBackend (
  backend: Pick<StoreBackend, 'isEmpty' | 'name' | 'unmarked'>,
  asked: StoreCompression | undefined,
  layout?: StoreLayout
): Promise<JoinedStore> {
  if (layout === 'packs' && asked != null) {
    throw new UsageError('Packs compress blocks by themselves, so they take no codec', { problem: 'packs-compress' })
  }

  const before = await readMark(backend.unmarked, backend.name)

  const isNew = before == null && await backend.isEmpty()

  if (isNew) {
    await writeMark(backend.unmarked, {
      id: randomUUID(),
      compression: asked ?? { codec: 'zstd' },
      layout,
      leaseTimeout: DEFAULT_LEASE_TIMEOUT
    })
  }

  // what another node has made at the same time counts: its mark may be why the place is no longer empty
  const mark = await readMark(backend.unmarked, backend.name)

  if (mark == null) {
    throw isNew
      ? new StoreMissingError(backend.name)
      : new StoreError(
        `${backend.name} has files or objects, but no mark of a store: use an empty directory or prefix. ` +
          'If it is a store, its mark ipfsz-store.json was lost: restore it from a backup'
      )
  }

  checkUsable(mark, backend.name)

  if (asked != null && (asked.codec !== mark.compression.codec || asked.level !== mark.compression.level)) {
    throw new StoreError(
      `The store ${backend.name} compresses blocks with ${describeCompression(mark.compression)} for all nodes`,
      { problem: 'other-codec' }
    )
  }

  if (layout != null && layout !== mark.layout) {
    throw new StoreError(
      `The store ${backend.name} keeps ${mark.layout === 'packs' ? 'blocks in packs' : 'each block as an object'} ` +
        'for all nodes',
      { problem: 'other-layout' }
    )
  }

  const { id, compression, layout: found } = mark

  return { reference: { store: backend.name, id }, compression, layout: found, isNew }
}

/** A codec and its level, for messages. */
export function describeCompression ({ codec, level }: StoreCompression): string {
  return level == null ? codec : `${codec} level ${level}`
}

function partsOf (
  backend: StoreBackend,
  mark: StoreMark,
  { sync, cacheSize, indexDirectory }: {
    sync: boolean
    cacheSize: number | undefined
    indexDirectory: string | undefined
  }
): StoreParts {
  const { name, objects, isRemote, traffic, watch } = backend
  const recordsOf = ({ validity }: { validity?: S3Validity | undefined } = {}): ObjectDatastore =>
    new ObjectDatastore(backend.records, { prefix: 'records', name, validity })
  const packs = mark.layout === 'packs'
    ? new PackStorage({
      objects,
      disk: indexDirectory == null ? undefined : new NodeDisk(indexDirectory),
      level: mark.compression.level
    })
    : undefined
  const storage = packs ?? backend.storage({ sync })

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
