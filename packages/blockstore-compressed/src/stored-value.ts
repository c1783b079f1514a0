import { callInner } from './util/call-inner.ts'
import { collectBlock } from './util/collect-block.ts'
import { BlockTooLargeError } from './errors.ts'
import { headerLength } from './value/envelope.ts'
import type { Chunks } from './util/collect-block.ts'
import type { CID } from 'multiformats/cid'

interface CollectStoredOptions {
  /** Maximum number of bytes of a block. */
  maxBlockSize: number
  /** Whether each value that the inner store returns is in memory of its own. */
  isFresh?: boolean | undefined
  signal?: AbortSignal | null | undefined
}

export interface StoredValue {
  bytes: Uint8Array
  /** Whether nothing else refers to its memory. */
  isOwn: boolean
}

/** Maximum number of bytes of a stored value. */
export function maxStoredSize ({ maxBlockSize }: Pick<CollectStoredOptions, 'maxBlockSize'>): number {
  return maxBlockSize + headerLength(maxBlockSize)
}

/**
 * Read a stored value of the inner store.
 *
 * @throws {BlockTooLargeError}
 */
export async function collectStored (
  cid: CID,
  get: () => Chunks,
  { maxBlockSize, isFresh = false, signal }: CollectStoredOptions
): Promise<StoredValue> {
  const max = maxStoredSize({ maxBlockSize })
  const tooLarge = (size: number): Error => new BlockTooLargeError(cid, size, maxBlockSize)
  const { bytes, isCopy } = await callInner(async () => collectBlock(get(), { max, tooLarge, signal }), signal)

  return { bytes, isOwn: isCopy || isFresh }
}

/**
 * Read a block that is to be stored.
 *
 * @throws {BlockTooLargeError}
 */
export async function collectNew (
  cid: CID,
  chunks: Chunks,
  max: number,
  signal?: AbortSignal | null
): Promise<Uint8Array> {
  const tooLarge = (size: number): Error => new BlockTooLargeError(cid, size, max)
  const { bytes } = await collectBlock(chunks, { max, tooLarge, reused: true, signal })

  return bytes
}
