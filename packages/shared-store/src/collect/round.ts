import { CollectionLostError } from '../errors.ts'
import { hasObject, objectsOf } from '../objects/read-object.ts'
import { putOnce } from '../objects/put-once.ts'
import { encodeRound, Objections } from '../protocol/round-objects.ts'
import { ACKS, fenceKey, roundKey, roundName } from '../protocol/store-keys.ts'
import { waitForSessions } from './wait-for-sessions.ts'
import type { Clock } from '../clock.ts'
import type { CollectionEvent, CollectionInit, StoredBlock, StoredPin } from './collection.ts'
import type { S3Validity } from '@ipfsz/blockstore-s3'

export interface RoundInit<Block extends StoredBlock> extends Pick<
  CollectionInit<StoredPin, Block>, 'store' | 'leaseTimeout' | 'blocks' | 'reached' | 'deleteLinks'
> {
  clock: Clock
  batchSize: number
  /** The collection. */
  collection: string
  /** Numbers the rounds of a collection: none is used twice. */
  nextNumber: () => number
  condemned: readonly Block[]
  /** Walk the pins that were not walked before. */
  walkNewPins: () => Promise<void>
  onProgress: (event: CollectionEvent) => void
}

/** Where the objects of rounds lie. */
type RoundObjects = Pick<CollectionInit, 'store'>

/**
 * One round of a collection: condemn blocks, wait until every session knows, look at the pins again, and delete what
 * nobody wants.
 *
 * @returns the blocks that it deleted
 * @throws {CollectionLostError} a session took the collection for dead
 */
export async function runRound<Block extends StoredBlock> (
  init: RoundInit<Block>,
  signal: AbortSignal
): Promise<Block[]> {
  const { store, collection, condemned, reached, clock, onProgress } = init
  /** The last one is written, the others may be. */
  const names: string[] = []
  const objections = new Objections(condemned.length)
  let mayEnd = true

  try {
    // before the sessions are listed: a session writes its object, then lists rounds, so one of the two sees the other
    const { name } = await putOnce(store, () => {
      const name = roundName(collection, init.nextNumber())
      const key = roundKey(name)
      names.push(name)

      return { name, key, bytes: encodeRound(key, condemned.map(({ multihash }) => multihash)) }
    }, { clock, signal })
    onProgress({ type: 'round', condemned: condemned.length })
    await waitForSessions({
      ...init,
      round: name,
      condemned: condemned.length,
      objections,
      onWaiting: sessions => { onProgress({ type: 'waiting', sessions }) },
      onFenced: owner => { onProgress({ type: 'fenced', owner }) }
    }, signal)
    // after the wait: a session that has ended, or was dead, had written its pins by then
    await init.walkNewPins()

    const unwanted = condemned.filter(({ multihash }, i) => !objections.has(i) && !reached.has(multihash))

    for (let start = 0; start < unwanted.length; start += init.batchSize) {
      const batch = unwanted.slice(start, start + init.batchSize)
      // before the look: what was learned since then must not make the deletes good for longer
      const validity = init.blocks.validFor?.(init.leaseTimeout / 2)
      const asked = init.clock.now()
      await checkRound(init, name, signal)
      mayEnd = false

      try {
        await deleteBatch(init, batch, { asked, validity }, signal)
      } catch (err) {
        mayEnd = isRefusal(err)
        throw err
      }

      mayEnd = true
      onProgress({ type: 'deleted', blocks: batch.length })
    }

    return unwanted
  } finally {
    // also when it was interrupted; but not while a delete may be under way, until which sessions must wait
    await endRounds(init, names, mayEnd).catch((err: unknown) => {
      // whoever takes the collection for dead does the same
      if (!signal.aborted) {
        throw err
      }
    })
  }
}

/**
 * Whether the store has answered that it does not delete, as without the permission: then no delete is under way. AWS
 * says so of each object, in an answer with the status 200.
 */
function isRefusal (err: unknown): boolean {
  const { name, status, code } = err as { name?: unknown, status?: unknown, code?: unknown }

  return name === 'S3ResponseError' && (code === 'AccessDenied' || (Number(status) >= 400 && Number(status) < 500))
}

/** @throws {CollectionLostError} the round may not go on */
async function checkRound ({ store }: RoundObjects, name: string, signal: AbortSignal): Promise<void> {
  // the fence first: whoever cleans up deletes the round first
  if (await hasObject(store, fenceKey(name), signal) || !await hasObject(store, roundKey(name), signal)) {
    throw new CollectionLostError(roundKey(name))
  }
}

/** Delete blocks, and first the links to them, but not later than half the timeout after the look at the fence. */
async function deleteBatch<Block extends StoredBlock> (
  { clock, leaseTimeout, blocks, deleteLinks }: RoundInit<Block>,
  batch: readonly Block[],
  { asked, validity }: { asked: number, validity: S3Validity | undefined },
  signal: AbortSignal
): Promise<void> {
  const late = new AbortController()
  const tooLate = new Error(`the store did not delete ${batch.length} blocks within ${leaseTimeout / 2} ms`)
  const cancel = clock.after(asked + leaseTimeout / 2 - clock.now(), () => { late.abort(tooLate) })
  const either = AbortSignal.any([signal, late.signal])

  try {
    await deleteLinks?.(batch, { signal: either, validity })
    either.throwIfAborted()
    await blocks.delete(batch, { signal: either, validity })
    either.throwIfAborted()
  } finally {
    cancel()
  }
}

/** @param mayEnd - if not, the last one is fenced, and stays until no delete of it can come any more */
async function endRounds (init: RoundObjects, names: readonly string[], mayEnd: boolean): Promise<void> {
  for (const [i, name] of names.entries()) {
    await (mayEnd || i + 1 < names.length ? endRound(init, name) : init.store.put(fenceKey(name), new Uint8Array([1])))
  }
}

/** Delete the objects of a round. */
export async function endRound ({ store }: RoundObjects, name: string): Promise<void> {
  const acks: string[] = []

  for await (const { key } of objectsOf(store, `${ACKS}${name}-`)) {
    acks.push(key)
  }

  await store.delete([roundKey(name)])
  await store.delete([fenceKey(name), ...acks])
}
