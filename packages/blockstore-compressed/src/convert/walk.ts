import { callChild, iterateChild } from '../util/abort.ts'
import { collect } from '../util/collect.ts'
import { BlockTooLargeError } from '../errors.ts'
import { headerLength } from '../value/envelope.ts'
import { mapAhead } from '../util/map-ahead.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** What a walk needs of a child. */
export type WalkStore = Pick<Blockstore, 'getAll' | 'has'>

export interface WalkOptions {
  maxBlockSize: number
  concurrency: number
  signal?: AbortSignal | undefined
}

/** A value too large to be read is not read. */
export interface StoredValue {
  cid: CID
  value: Uint8Array | BlockTooLargeError
}

/**
 * Give every stored value to a function, a few at one time, and yield the results.
 * What is deleted while the walk goes on is left out.
 */
export async function * walk<R> (child: WalkStore, visit: (stored: StoredValue) => Promise<R>, options: WalkOptions): AsyncGenerator<R> {
  const { signal } = options

  const results = mapAhead(iterateChild(() => child.getAll({ signal }), signal), async ({ cid, bytes }) => {
    const value = await readStored(child, cid, bytes, options)

    return value == null ? undefined : { result: await visit({ cid, value }) }
  }, options)

  for await (const visited of results) {
    if (visited != null) {
      yield visited.result
    }
  }
}

/** Undefined where the block is not there any more. */
async function readStored (child: WalkStore, cid: CID, bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, { maxBlockSize, signal }: WalkOptions): Promise<StoredValue['value'] | undefined> {
  const max = maxBlockSize + headerLength(maxBlockSize)

  try {
    return await callChild(async () => collect(bytes, { max, tooLarge: size => new BlockTooLargeError(cid, size, maxBlockSize), signal }), signal)
  } catch (err) {
    if (err instanceof BlockTooLargeError) {
      return err
    }

    // stores have different errors for it, and some the same for others
    if (!await callChild(() => child.has(cid, { signal }), signal)) {
      return undefined
    }

    throw err
  }
}
