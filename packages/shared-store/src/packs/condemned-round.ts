import { comparePlaces } from '@ipfsz/blockstore-packed/whole'
import { endRound } from '../collect/round.ts'
import { waitForSessions } from '../collect/wait-for-sessions.ts'
import { CollectionLostError, StoreObjectError } from '../errors.ts'
import { Objections } from '../protocol/round-objects.ts'
import { roundKey } from '../protocol/store-keys.ts'
import { tailOfPack } from './pack-keys.ts'
import type { CollectionEvent } from '../collect/collection.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StoreSession } from '../sessions/store-session.ts'
import type { PackStorage } from './pack-storage.ts'
import type { IndexedBlock, Row } from '@ipfsz/blockstore-packed/whole'

export interface CondemnedRoundInit {
  store: ObjectStore
  storage: PackStorage
  /** Of the collection. It relies on what is copied. */
  session: StoreSession
  leaseTimeout: number
  clock: Clock
  /** The blocks that walks have reached, by the bytes of their keys. */
  reached: { has: (key: Uint8Array) => boolean }
  /** Walk the pins that were not walked before. */
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
  const { deletable, removed, removedSize } = await copyReached(init, new Set(wanted.map(({ id }) => id)), signal)

  // what is sent from here on may arrive whenever: the names of packs are never used again
  await session.confirm({ signal }).catch((err: unknown) => {
    throw err instanceof Error && err.name === 'SessionLostError'
      ? new CollectionLostError(roundKey(name), { cause: err })
      : err
  })
  await store.delete(wanted.flatMap(({ id, key }) => deletable.has(id) ? [key] : []), { signal })
  onProgress({ type: 'deleted', blocks: removed })
  await storage.catalog.refresh(signal)
  const left = Array.from(storage.catalog.packs.keys()).filter(id => numberOf(id) != null).length

  if (left === 0) {
    await endRound({ store }, name)
  }

  return { removed, removedSize, left }
}

/**
 * Copy what pins reach of packs, and is nowhere else, into a new pack.
 *
 * @returns the packs of which nothing is needed any more: not those with blocks that cannot be read anywhere
 */
async function copyReached (
  { storage, session, reached }: CondemnedRoundInit,
  packs: Set<string>,
  signal: AbortSignal
): Promise<{ deletable: Set<string>, removed: number, removedSize: number }> {
  const deletable = new Set(packs)
  const needed: Array<{ block: IndexedBlock, row: Row }> = []
  let removed = 0
  let removedSize = 0

  for await (const blocks of storage.catalog.blocks()) {
    signal.throwIfAborted()

    for (const block of blocks) {
      const row = block.rows.find(({ pack }) => packs.has(pack))

      if (row != null && reached.has(block.key.bytes)) {
        needed.push({ block, row })
      } else if (row != null && block.rows.every(({ pack }) => packs.has(pack))) {
        removed++
        removedSize += row.length
      }
    }
  }

  // in the order of packs, which takes the fewest requests
  storage.reading.expect(needed.reduce((sum, { row }) => sum + row.length, 0))

  for (const { block } of needed.toSorted((a, b) => comparePlaces(a.row, b.row))) {
    const elsewhere = block.rows.filter(({ pack }) => !packs.has(pack) && session.relyOnPack(tailOfPack(pack)))

    if (await readAny(storage, block, elsewhere, signal) == null) {
      const here = block.rows.filter(({ pack }) => packs.has(pack))
      const read = await readAny(storage, block, here, signal)

      if (read == null) {
        here.forEach(({ pack }) => deletable.delete(pack))
      } else {
        await storage.copier.put(read.cid, read.bytes, session)
      }
    }
  }

  await storage.copier.sync()

  return { deletable, removed, removedSize }
}

/** Read a block at the first place where it has its hash. */
async function readAny (
  storage: PackStorage,
  { key }: Pick<IndexedBlock, 'key'>,
  rows: readonly Row[],
  signal: AbortSignal
): Promise<Awaited<ReturnType<PackStorage['reading']['readWithCid']>>> {
  for (const row of rows) {
    try {
      const read = await storage.reading.readWithCid({ key, row }, { signal })

      if (read != null) {
        return read
      }
    } catch (err) {
      if (!(err instanceof StoreObjectError)) {
        throw err
      }
    }
  }

  return undefined
}

function textOf (tail: Uint8Array): string {
  return Buffer.from(tail).toString('hex')
}
