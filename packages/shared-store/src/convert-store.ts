import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { sleep, systemClock } from './clock.ts'
import { CollectionLease } from './collect/collection-lease.ts'
import { sessionsOf } from './collect/wait-for-sessions.ts'
import { StoreError, StoreMissingError } from './errors.ts'
import { decodeNode, NODES, parseNodeKey } from './nodes/node-record.ts'
import { objectsOf, readObject } from './objects/read-object.ts'
import { livingOwners } from './collect/living-owners.ts'
import { PackStorage } from './packs/pack-storage.ts'
import { openBackend } from './places/open-backend.ts'
import { readMark, writeMark } from './places/store-mark.ts'
import { LeaseWatch, readOwner } from './protocol/lease.ts'
import { ACKS, ROUNDS, SESSIONS } from './protocol/store-keys.ts'
import type { Clock } from './clock.ts'
import type { ObjectStore } from './objects/object-store.ts'
import type { StoreCompression } from './places/store-mark.ts'
import type { StoreReference } from './store-reference.ts'
import type { BlockStorage } from './storage/block-storage.ts'
import type { Blockstore } from 'interface-blockstore'

/** The blocks of a store that is being converted. */
export interface ConvertedBlocks {
  /** Each is an object. */
  from: { stored: BlockStorage, plain: Blockstore }
  to: PackStorage
}

export interface ConvertStoreOptions {
  signal: AbortSignal
  /** Called with the processes that have begun before the conversion, and must end first. */
  onWaiting?: ((users: readonly string[]) => void) | undefined
  /** @default the system's */
  clock?: Clock | undefined
}

/**
 * Bring a store whose blocks are objects into packs. Nobody else can use the store until that is complete. If it is
 * killed, any node can call it again, and it goes on.
 *
 * @param move - moves all blocks. Each must be stored in its new place before it is deleted in the old one
 * @returns what `move` returns, or undefined if the store has packs already
 * @throws {StoreError} nodes use the store: the message names them
 * @throws {CollectionRunningError} a collection or another conversion runs
 */
export async function convertStore<T> (
  { store, id }: StoreReference,
  move: (blocks: ConvertedBlocks) => Promise<T>,
  { signal, onWaiting = () => {}, clock = systemClock }: ConvertStoreOptions
): Promise<T | undefined> {
  const { name, objects, older, unmarked } = await openBackend(store, { signal })
  const mark = await readMark(unmarked, name)

  if (mark?.id !== id) {
    throw new StoreMissingError(name, { other: mark != null })
  }

  const { isConverting = false, isOlder = false, leaseTimeout } = mark

  if (!isOlder && !isConverting) {
    return undefined
  }

  const users = async (): Promise<string[]> => livingUsers(objects, { leaseTimeout, clock }, signal)
  const lease = new CollectionLease(objects, leaseTimeout, clock)

  try {
    await lease.start(signal, () => {})
    const before = isConverting ? [] : await users()

    if (before.length > 0) {
      throw new StoreError(`The store ${name} is used by ${before.join(', ')}`, { problem: 'in-use' })
    }

    const converted = { ...mark, compression: compressionOfPacks(mark.compression) }
    await writeMark(objects, { ...converted, isConverting: true })

    // those that had read the mark before. Later ones find it when they have written their sessions
    for (let late = await users(); late.length > 0; late = await users()) {
      onWaiting(late)
    }

    await deleteRounds(objects, signal)
    const stored = older()
    const moved = await move({
      from: { stored, plain: new CompressedBlockstore(stored, mark.compression) },
      to: new PackStorage({ objects, level: converted.compression.level, clock })
    })
    await writeMark(objects, { ...converted, isConverting: false })

    return moved
  } finally {
    await lease.end().catch(() => { /* its object does no harm */ })
  }
}

/** Delete what collections of blocks have left: rounds of packs have the same names. */
async function deleteRounds (store: ObjectStore, signal: AbortSignal): Promise<void> {
  for (const prefix of [ROUNDS, ACKS]) {
    for await (const page of store.list(prefix, { signal })) {
      await store.delete(page.map(({ key }) => key), { signal })
    }
  }
}

/** Packs compress with zstd. */
function compressionOfPacks ({ codec, level }: StoreCompression): StoreCompression {
  return codec === 'zstd' && level != null ? { codec, level } : { codec: 'zstd' }
}

/** Who uses a store, by what they renew. Takes the timeout if something was left by processes that were killed. */
async function livingUsers (
  store: ObjectStore,
  { leaseTimeout, clock }: { leaseTimeout: number, clock: Clock },
  signal: AbortSignal
): Promise<string[]> {
  const sessions = await livingOwners({
    store, sessions: await sessionsOf(store, signal), leaseTimeout, clock, onFenced: () => {}
  }, signal)
  const owners = await Promise.all(Array.from(sessions, async id => readOwner(store, `${SESSIONS}${id}`, signal)))

  return [...owners, ...await livingNodes(store, { leaseTimeout, clock }, signal)]
}

async function livingNodes (
  store: ObjectStore,
  { leaseTimeout, clock }: { leaseTimeout: number, clock: Clock },
  signal: AbortSignal
): Promise<string[]> {
  const watches = new Map<string, LeaseWatch>()

  for await (const { key } of objectsOf(store, NODES, signal)) {
    watches.set(key, new LeaseWatch(store, key, clock))
  }

  const texts = new Map<string, string>()

  for (const [key, watch] of watches) {
    await watch.unchanged(signal)
    texts.set(key, watch.text)
  }

  await (watches.size > 0 ? sleep(clock, leaseTimeout, signal) : undefined)
  const living: string[] = []

  for (const [key, watch] of watches) {
    await watch.unchanged(signal)

    if (watch.text !== '' && watch.text !== texts.get(key)) {
      living.push(await describeNode(store, key, signal))
    }
  }

  return living
}

async function describeNode (store: ObjectStore, key: string, signal: AbortSignal): Promise<string> {
  const peerId = parseNodeKey(key)

  try {
    const { host } = decodeNode(await readObject(store, key, { signal }) ?? new Uint8Array(), peerId ?? '')

    return `a daemon (${peerId} on ${host.replace(/[^\w.-]/g, '?')})`
  } catch {
    return 'an unknown daemon'
  }
}
