import { comparePlaces } from '@ipfsz/blockstore-packed/whole'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { CollectionLostError, StoreObjectError } from '../errors.ts'
import { tailOfPack } from '../packs/pack-keys.ts'
import { Objections } from '../protocol/round-objects.ts'
import { roundKey } from '../protocol/store-keys.ts'
import { waitForSessions } from './wait-for-sessions.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { StoredPack } from '../packs/pack-keys.ts'
import type { PackStorage } from '../packs/pack-storage.ts'
import type { StoreSession } from '../sessions/store-session.ts'
import type { CollectionEvent } from './collection.ts'
import type { IndexedBlock, Row } from '@ipfsz/blockstore-packed/whole'

/** How many blocks are copied at a time. While they are compressed, one of each waits, with up to 4 MiB before it. */
const COPIES = 3
/** Bytes of blocks of two packs up to which memory keeps what is read of both, 48 MiB. */
const MAX_PREPARED = 48 * 1024 * 1024

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
  const unreadable = await copyAll(init, needed, signal)
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

/** A block that pins reach, with its place in a pack that is to be deleted, and all others. */
interface NeededBlock {
  block: IndexedBlock
  row: Row
  elsewhere: Row[]
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

/**
 * Copy blocks into a new pack, but for those that are in a pack that stays.
 *
 * @returns the packs with blocks that cannot be read anywhere: they stay
 */
async function copyAll (
  { storage, session }: CondemnedRoundInit,
  needed: readonly NeededBlock[],
  signal: AbortSignal
): Promise<Set<string>> {
  const unreadable = new Set<string>()
  // in the order of packs, which takes the fewest requests
  const sorted = needed.toSorted((a, b) => comparePlaces(a.row, b.row))
  const packs = [...Map.groupBy(sorted, ({ row }) => row.pack).values()]
  let prepared = 0

  const copy = async ({ block, elsewhere }: NeededBlock): Promise<void> => {
    const kept = elsewhere.filter(({ pack }) => session.relyOnPack(tailOfPack(pack)))

    if (await readAny(storage, block, kept, signal) == null) {
      const read = await readAny(storage, block, block.rows, signal)

      if (read == null) {
        block.rows.forEach(({ pack }) => unreadable.add(pack))
      } else {
        await storage.copier.put(read.cid, read.bytes, session)
        freeBytes(read.bytes)
      }
    }
  }

  for (const [i, blocks] of packs.entries()) {
    // while one is copied, the next one is read
    const end = sizeOf([...blocks, ...packs[i + 1] ?? []]) <= MAX_PREPARED ? i + 2 : i + 1
    packs.slice(prepared, end).forEach(blocks => { storage.reading.prepare(blocks.map(({ row }) => row)) })
    prepared = Math.max(prepared, end)

    await forEachOf(blocks, copy, signal)
  }

  await storage.copier.sync()

  return unreadable
}

/** Copy some blocks at a time: while one waits for others to be compressed, the next ones are read. */
async function forEachOf (
  blocks: readonly NeededBlock[],
  copy: (block: NeededBlock) => Promise<void>,
  signal: AbortSignal
): Promise<void> {
  const left = blocks.values()
  let isOver = false
  const results = await Promise.allSettled(Array.from({ length: COPIES }, async () => {
    try {
      for (const block of left) {
        signal.throwIfAborted()
        await copy(block)

        if (isOver) {
          return
        }
      }
    } finally {
      // all blocks were taken, or one failed
      isOver = true
    }
  }))

  for (const result of results) {
    if (result.status === 'rejected') {
      throw result.reason
    }
  }
}

function sizeOf (blocks: readonly NeededBlock[]): number {
  return blocks.reduce((size, { row }) => size + row.length, 0)
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
