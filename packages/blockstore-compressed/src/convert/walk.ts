import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { callInner, iterateInner } from '../util/call-inner.ts'
import { BlockTooLargeError } from '../errors.ts'
import { collectStored } from '../stored-value.ts'
import type { Chunks } from '../util/collect-block.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The methods of a store that a walk needs. */
export type WalkStore = Pick<Blockstore, 'getAll' | 'has'>

interface WalkOptions {
  maxBlockSize: number
  concurrency: number
  signal?: AbortSignal | undefined
}

export interface StoredValue {
  cid: CID
  /** The stored bytes, or the error if there are too many to read. */
  value: Uint8Array | BlockTooLargeError
}

/**
 * Call `visit` with every stored value, a few at a time, and yield its results. Blocks
 * that are deleted during the walk are skipped.
 */
export async function * walk<R> (
  inner: WalkStore,
  visit: (stored: StoredValue) => Promise<R>,
  options: WalkOptions
): AsyncGenerator<R> {
  const { signal } = options

  const results = mapOrdered(iterateInner(() => inner.getAll({ signal }), signal), async ({ cid, bytes }) => {
    const value = await readStored(inner, cid, bytes, options)

    return value == null ? undefined : { result: await visit({ cid, value }) }
  }, options)

  for await (const visited of results) {
    if (visited != null) {
      yield visited.result
    }
  }
}

/** @returns undefined if the block has been deleted meanwhile */
async function readStored (
  inner: WalkStore,
  cid: CID,
  bytes: Chunks,
  { maxBlockSize, signal }: WalkOptions
): Promise<StoredValue['value'] | undefined> {
  try {
    return (await collectStored(cid, () => bytes, { maxBlockSize, signal })).bytes
  } catch (err) {
    if (err instanceof BlockTooLargeError) {
      return err
    }

    // ask the store: errors for a missing block differ, and some stores use them for other failures too
    if (!await callInner(() => inner.has(cid, { signal }), signal)) {
      return undefined
    }

    throw err
  }
}
