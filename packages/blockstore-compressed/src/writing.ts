/**
 * What is being written to a child at this moment, by all stores and conversions around
 * it in this process. `FsBlockstore` writes a block under one temporary name, so two
 * different values of one block that are written at the same time end up mixed.
 */
import { callChild } from './util/abort.ts'
import { equals } from 'multiformats/bytes'
import { raceSignal } from 'race-signal'
import { keyOf } from './value/key-of.ts'
import type { Value } from './value/make-value.ts'
import type { CID } from 'multiformats/cid'

/** A value that is being written, and how many times. */
interface InFlight {
  value: Value
  writes: number
}

interface Writing {
  /** By multihash: when the last that waits for its turn has had it. */
  turns: Map<string, Promise<unknown>>
  values: Map<string, InFlight>
}

/** The value to write for a block. */
export interface Claim {
  value: Value
  /** To be called once, when nothing is written any more. */
  release: () => void
}

const children = new WeakMap<object, Writing>()

/**
 * Announce that a value is about to be written. Where the same block is being written
 * already, in whatever codec, that value is the one to write: equal bytes do not mix.
 * (Where a child has one temporary name a block, as FsBlockstore, the second write empties
 * the file of the first. A process that is killed then leaves it cut short.)
 *
 * A batch cannot wait for a turn instead: when the child is done with a block is known
 * only when the batch's reader goes on, who may be waiting for another write.
 */
export function claim (child: object, cid: CID, value: Value): Claim {
  const { values } = writingOf(child)
  const key = keyOf(cid)
  const first = values.get(key)

  // other bytes under one CID: one of them is not its block, and both are written as they are
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
 * Write a value when no other of the same block is being written. A write that has begun
 * keeps its turn until the child has settled it, also after an abort.
 *
 * @returns what `write` gives, and the value that was written
 */
export async function writeInTurn<T> (child: object, cid: CID, value: Value, write: (bytes: Uint8Array) => T | PromiseLike<T>, signal?: AbortSignal | null): Promise<{ result: T, value: Value }> {
  const endTurn = await waitForTurn(child, cid, signal)
  const claimed = claim(child, cid, value)

  try {
    return { result: await write(claimed.value.bytes), value: claimed.value }
  } finally {
    claimed.release()
    endTurn()
  }
}

/** `writeInTurn`, given up as soon as the signal is aborted, as `callChild` does. */
export async function callInTurn<T> (child: object, cid: CID, value: Value, write: (bytes: Uint8Array) => T | PromiseLike<T>, signal?: AbortSignal | null): Promise<{ result: T, value: Value }> {
  return callChild(async () => writeInTurn(child, cid, value, write, signal), signal)
}

async function waitForTurn (child: object, cid: CID, signal?: AbortSignal | null): Promise<() => void> {
  const { turns } = writingOf(child)
  const key = keyOf(cid)
  const before = turns.get(key)
  const { promise: mine, resolve: endTurn } = Promise.withResolvers<void>()
  const both = Promise.all([before, mine])
  const forget = (): void => {
    if (turns.get(key) === both) {
      turns.delete(key)
    }
  }

  turns.set(key, both)
  both.finally(forget)

  try {
    await raceSignal(before, signal)
  } catch (err) {
    endTurn()
    throw err
  }

  return endTurn
}

function writingOf (child: object): Writing {
  let writing = children.get(child)

  if (writing == null) {
    writing = { turns: new Map(), values: new Map() }
    children.set(child, writing)
  }

  return writing
}
