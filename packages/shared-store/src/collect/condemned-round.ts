import { CollectionLostError } from '../errors.ts'
import { tailOfPack } from '../packs/pack-keys.ts'
import { Objections } from '../protocol/round-objects.ts'
import { roundKey } from '../protocol/store-keys.ts'
import { copyNeeded } from './copy-needed.ts'
import { waitForSessions } from './wait-for-sessions.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StoredPack } from '../packs/pack-keys.ts'
import type { PackStorage } from '../packs/pack-storage.ts'
import type { StoreSession } from '../sessions/store-session.ts'
import type { CollectionEvent } from './collection.ts'
import type { NeededBlock } from './copy-needed.ts'

export interface CondemnedRoundInit {
  store: ObjectStore
  storage: PackStorage
  /** Of the collection. It relies on what is copied. */
  session: StoreSession
  leaseTimeout: number
  clock: Clock
  /** The blocks that walks have reached, by the bytes of their keys. */
  reached: { has: (key: Uint8Array) => boolean }
  walkNewPins: () => Promise<void>
  onProgress: (event: CollectionEvent) => void
}

/** A round, with the packs that it condemns. */
export interface CondemnedRound {
  name: string
  /** The tails of the packs, in the order of the round. */
  tails: readonly Uint8Array[]
}

export interface CompletedRound {
  /** Blocks that are gone, and their bytes. */
  removed: number
  removedSize: number
  /** Packs that are condemned, and still there: sessions need them, or blocks of them cannot be read. */
  left: number
}

/**
 * Delete the packs of a round, once no session relies on them and what pins reach of them is in other packs. Any
 * collection may do this for any round: what is condemned stays so until it is gone.
 *
 * @throws {CollectionLostError} others took the collection for dead
 */
export async function completeRound (
  init: CondemnedRoundInit,
  { name, tails }: CondemnedRound,
  signal: AbortSignal
): Promise<CompletedRound> {
  const { store, storage, session, onProgress } = init
  const objections = new Objections(tails.length)
  session.condemnPacks(tails)
  await waitForSessions({
    ...init,
    round: name,
    condemned: tails.length,
    objections,
    except: session.id,
    onWaiting: sessions => { onProgress({ type: 'waiting', sessions }) },
    onFenced: owner => { onProgress({ type: 'fenced', owner }) }
  }, signal)
  // after the wait: a session that has ended, or was dead, had written its pins by then
  await init.walkNewPins()
  await storage.catalog.refresh(signal)

  const numbers = new Map(tails.map((tail, i) => [textOf(tail), i]))
  const numberOf = (id: string): number | undefined => numbers.get(textOf(tailOfPack(id)))
  const packs = Array.from(storage.catalog.packs.values())
  const wanted = packs.filter(({ id }) => {
    const i = numberOf(id)

    return i != null && !objections.has(i) && storage.catalog.knows(id)
  })
  const { needed, removed, removedSize } = await reachedIn(init, new Set(wanted.map(({ id }) => id)), signal)
  const deletePacks = async (packs: StoredPack[]): Promise<void> => {
    if (packs.length > 0) {
      // what is sent from here on may arrive whenever: the names of packs are never used again
      await session.confirm({ signal }).catch((err: unknown) => {
        throw err instanceof Error && err.name === 'SessionLostError'
          ? new CollectionLostError(roundKey(name), { cause: err })
          : err
      })
      await store.delete(packs.map(({ key }) => key), { signal })
    }
  }

  // those of which nothing is needed first: a disk may have no space for copies before
  const copied = new Set(needed.flatMap(({ block }) => block.rows.map(({ pack }) => pack)))
  await deletePacks(wanted.filter(({ id }) => !copied.has(id)))
  const unreadable = await copyNeeded(init, needed, signal)
  await deletePacks(wanted.filter(({ id }) => copied.has(id) && !unreadable.has(id)))
  onProgress({ type: 'deleted', blocks: removed })
  await storage.catalog.refresh(signal)
  const left = Array.from(storage.catalog.packs.keys()).filter(id => numberOf(id) != null).length

  if (left === 0) {
    // without the acknowledgements: some may still come
    await store.delete([roundKey(name)])
  }

  return { removed, removedSize, left }
}

/** What pins reach of packs, and how many blocks and bytes of them are in no other pack, and not reached. */
async function reachedIn (
  { storage, reached }: CondemnedRoundInit,
  packs: ReadonlySet<string>,
  signal: AbortSignal
): Promise<{ needed: NeededBlock[], removed: number, removedSize: number }> {
  const needed: NeededBlock[] = []
  let removed = 0
  let removedSize = 0

  for await (const blocks of storage.catalog.blocks()) {
    signal.throwIfAborted()

    for (const block of blocks) {
      const here = block.rows.filter(({ pack }) => packs.has(pack))
      const elsewhere = block.rows.filter(({ pack }) => !packs.has(pack))

      if (here.length > 0 && reached.has(block.key.bytes)) {
        needed.push({ block: { ...block, rows: here }, row: here[0], elsewhere })
      } else if (here.length > 0 && elsewhere.length === 0) {
        removed++
        removedSize += here[0].length
      }
    }
  }

  return { needed, removed, removedSize }
}

function textOf (tail: Uint8Array): string {
  return Buffer.from(tail).toString('hex')
}
