import { unmark } from '@ipfsz/core'
import { StoreError } from '../errors.ts'
import { keyOf, walkDag } from '../dag/dag-walk.ts'
import { Reached } from '../dag/reached.ts'
import type { Session } from '../context.ts'
import type { WalkStore } from '../dag/dag-walk.ts'
import type { NewPin } from '../repo/repo-pins.ts'

/** What became of a pin. The error of one that is `incomplete` says which block the destination lacks. */
export type CopiedPin =
  & { pin: NewPin }
  & ({ state: 'copied' } | { state: 'there' } | { state: 'incomplete', error: Error })

export interface CopyPinsOptions {
  signal: AbortSignal
  /** The blocks that were not copied, by `keyOf`. What is in their place is damaged, or empty. */
  lost: ReadonlySet<string>
  /** Called with the number of blocks that were looked at since the last call. */
  onBlocks?: (blocks: number) => void
}

/**
 * Pin what another store has pinned, if all of it is here. Nodes are read, leaves only looked for: those that were
 * copied have been checked, and those that are known to be lost count as missing. Pins that are here stay as they are.
 *
 * Pins of a few levels are not copied into a store: a pin of the same CID that another node writes at the same time, or
 * a request that arrives late, would be replaced by one that keeps less.
 */
export async function * copyPins (
  from: readonly NewPin[],
  { pins, repo }: Session,
  { signal, lost, onBlocks }: CopyPinsOptions
): AsyncGenerator<CopiedPin> {
  const { blockstore } = repo
  const store: WalkStore = {
    get: (...args) => blockstore.get(...args),
    has: async (cid, options) => !lost.has(keyOf(cid)) && blockstore.has(cid, options)
  }
  let reached = new Reached()

  for (const pin of from) {
    if (await pins.has(pin.cid)) {
      yield { pin, state: 'there' }
      continue
    }

    if (repo.shared != null && pin.depth != null && pin.depth !== Infinity) {
      yield { pin, state: 'incomplete', error: new StoreError(
        `${pin.cid} is pinned to a depth of ${pin.depth}, but a shared store can only pin whole trees`
      ) }
      continue
    }

    try {
      for await (
        const _ of walkDag(unmark(pin.cid), store, { signal, leaves: 'has', depth: pin.depth, reached })
      ) {
        onBlocks?.(1)
      }
    } catch (error) {
      signal.throwIfAborted()
      // a walk that failed has not reached all below what it recorded
      reached = new Reached()
      yield { pin, state: 'incomplete', error: error as Error }
      continue
    }

    const [error] = await pins.addNew([pin])

    if (error != null) {
      throw error
    }

    yield { pin, state: 'copied' }
  }
}
