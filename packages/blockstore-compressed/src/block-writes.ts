/**
 * Keeps concurrent writes of the same block apart, for all CompressedBlockstores and
 * conversions around one inner store in this process. `FsBlockstore` writes a block under
 * one temporary name, so two writes of one block with different bytes end up mixed.
 */
import { equals } from 'multiformats/bytes'
import { raceSignal } from 'race-signal'
import { callInner } from './util/call-inner.ts'
import { keyOf } from './value/key-of.ts'
import type { Value } from './value/make-value.ts'
import type { CID } from 'multiformats/cid'

interface InFlight {
  value: Value
  /** How many writes of this value are running. */
  writes: number
}

/** The writes into one inner store, by the keys of `keyOf`. */
interface WriteState {
  /** Resolves when the last writer in the queue of a block is done. */
  queues: Map<string, Promise<unknown>>
  values: Map<string, InFlight>
}

/** The value to write for a block. */
export interface Claim {
  value: Value
  /** Call this once, when the write is over. */
  release: () => void
}

/** Writes a value into the inner store. */
type Write<T> = (bytes: Uint8Array) => T | PromiseLike<T>

/** What {@link writeExclusive} resolves to. */
interface Written<T> {
  result: T
  /** The value that was written: that of another writer, if the same block was being written already. */
  value: Value
}

const states = new WeakMap<object, WriteState>()

/**
 * Announce a write. If the same block is being written already, returns that value to write
 * instead, in whatever codec it is: equal bytes do not mix. (If the inner store uses one
 * temporary name for each block, as `FsBlockstore` does, the second write truncates the file
 * of the first. A process that is killed then leaves the block cut short.)
 *
 * Batches use this instead of waiting for other writes. They learn that the inner store is
 * done with a block only when their reader goes on, and the reader may be waiting for
 * another write.
 */
export function claimWrite (inner: object, cid: CID, value: Value): Claim {
  const { values } = stateOf(inner)
  const key = keyOf(cid)
  const first = values.get(key)

  // two different blocks under one CID: at most one can match it, so write both as given
  if (first != null && !equals(first.value.block, value.block)) {
    return { value, release: () => {} }
  }

  const inFlight = first ?? { value, writes: 0 }
  inFlight.writes++
  values.set(key, inFlight)

  return {
    value: inFlight.value,
    release: () => {
      if (--inFlight.writes === 0) {
        values.delete(key)
      }
    }
  }
}

/**
 * Write a value once no other write of the same block is running. Later writers wait until
 * the inner store has finished, even if this write is aborted.
 */
export async function writeExclusive<T> (
  inner: object,
  block: { cid: CID, value: Value },
  write: Write<T>,
  signal?: AbortSignal | null
): Promise<Written<T>> {
  const unlock = await lock(inner, block.cid, signal)
  const claimed = claimWrite(inner, block.cid, block.value)

  try {
    return { result: await write(claimed.value.bytes), value: claimed.value }
  } finally {
    claimed.release()
    unlock()
  }
}

/** Like {@link writeExclusive}, but rejects as soon as the signal is aborted, as `callInner` does. */
export async function callExclusive<T> (
  inner: object,
  block: { cid: CID, value: Value },
  write: Write<T>,
  signal?: AbortSignal | null
): Promise<Written<T>> {
  return callInner(async () => writeExclusive(inner, block, write, signal), signal)
}

/** @returns the function that unlocks the block */
async function lock (inner: object, cid: CID, signal?: AbortSignal | null): Promise<() => void> {
  const { queues } = stateOf(inner)
  const key = keyOf(cid)
  const before = queues.get(key)
  const { promise: mine, resolve: unlock } = Promise.withResolvers<void>()
  const both = Promise.all([before, mine])
  const forget = (): void => {
    if (queues.get(key) === both) {
      queues.delete(key)
    }
  }

  queues.set(key, both)
  both.finally(forget)

  try {
    await raceSignal(before, signal)
  } catch (err) {
    unlock()
    throw err
  }

  return unlock
}

function stateOf (inner: object): WriteState {
  let state = states.get(inner)

  if (state == null) {
    state = { queues: new Map(), values: new Map() }
    states.set(inner, state)
  }

  return state
}
