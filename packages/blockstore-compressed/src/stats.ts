import { CustomProgressEvent } from 'progress-events'
import { checkChild } from './child.ts'
import { DEFAULT_CONVERT_CONCURRENCY } from './constants.ts'
import { findEnvelope } from './value/read-value.ts'
import { resolveReaders } from './settings.ts'
import { walk } from './convert/walk.ts'
import type { StatsEvents } from './events.ts'
import type { ReadInit } from './init.ts'
import type { StoredAs } from './value/read-value.ts'
import type { Readers } from './settings.ts'
import type { StoredValue, WalkStore } from './convert/walk.ts'
import type { ProgressOptions } from 'progress-events'

export interface StatsOptions extends ReadInit, ProgressOptions<StatsEvents> {
  signal?: AbortSignal | undefined
}

export interface BlockTotals {
  blocks: number
  /** Bytes of the blocks. */
  size: number
  /** Bytes that are stored for them. */
  storedSize: number
}

export interface BlockstoreStats extends BlockTotals {
  /** storedSize / size, 1 where there are no bytes. */
  ratio: number
  /** By what the blocks are stored as, those that there are. */
  codecs: Partial<Record<StoredAs, BlockTotals>>
  /** Blocks of which the envelope cannot be read. They are in no other number. */
  unreadable: number
}

/**
 * Count the blocks and bytes of a store, by the codec that they are stored with. Every
 * value is read, none is decompressed: blocks are not compared with their hashes.
 *
 * @param child - the store itself, not the CompressedBlockstore around it
 *
 * @throws {InvalidParametersError}
 */
export async function stats (child: WalkStore, options: StatsOptions = {}): Promise<BlockstoreStats> {
  const readers = resolveReaders(options)
  const total: BlockTotals = { blocks: 0, size: 0, storedSize: 0 }
  const codecs: BlockstoreStats['codecs'] = {}
  let unreadable = 0

  checkChild(child, ['getAll', 'has'])

  for await (const counted of walk(child, async stored => measure(stored, readers), { ...readers, concurrency: DEFAULT_CONVERT_CONCURRENCY, signal: options.signal })) {
    if (counted == null) {
      unreadable++
      continue
    }

    const { storedAs, size, storedSize } = counted
    codecs[storedAs] ??= { blocks: 0, size: 0, storedSize: 0 }

    for (const totals of [total, codecs[storedAs]]) {
      totals.blocks++
      totals.size += size
      totals.storedSize += storedSize
    }

    options.onProgress?.(new CustomProgressEvent('ipfsz:blockstore:stats', { blocks: total.blocks, storedSize: total.storedSize }))
  }

  return { ...total, ratio: total.size === 0 ? 1 : total.storedSize / total.size, codecs, unreadable }
}

/** Undefined where it cannot be read. */
async function measure ({ cid, value }: StoredValue, readers: Readers): Promise<{ storedAs: StoredAs, size: number, storedSize: number } | undefined> {
  if (!(value instanceof Uint8Array)) {
    return undefined
  }

  try {
    const envelope = await findEnvelope(cid, value, readers)

    return {
      storedAs: envelope == null ? 'none' : readers.codecs.get(envelope.code)?.name ?? 'none',
      size: envelope?.size ?? value.byteLength,
      storedSize: value.byteLength
    }
  } catch {
    return undefined
  }
}
