import { allCodecs } from '@ipfsz/codecs/all'
import { CustomProgressEvent } from 'progress-events'
import { checkInner } from './check-inner.ts'
import { DEFAULT_CONVERT_CONCURRENCY } from './constants.ts'
import { findEnvelope } from './value/read-value.ts'
import { resolveReaders } from './value/settings.ts'
import { walk } from './convert/walk.ts'
import type { StatsEvents } from './events.ts'
import type { Counted } from './metrics.ts'
import type { ReadInit } from './init.ts'
import type { StoredAs } from './value/read-value.ts'
import type { Readers } from './value/settings.ts'
import type { StoredValue, WalkStore } from './convert/walk.ts'
import type { ProgressOptions } from 'progress-events'

export interface StatsOptions extends ReadInit, ProgressOptions<StatsEvents> {
  signal?: AbortSignal | undefined
}

export interface BlockTotals {
  blocks: number
  /** Bytes of the blocks. */
  size: number
  /** Bytes stored for these blocks. */
  storedSize: number
}

export interface BlockstoreStats extends BlockTotals {
  /** storedSize / size, or 1 if there are no bytes. */
  ratio: number
  /** Totals by codec. Codecs without blocks are left out. */
  codecs: Partial<Record<StoredAs, BlockTotals>>
  /** Blocks whose envelope cannot be read. No other number includes them. */
  unreadable: number
}

/**
 * Count the blocks and bytes of a store by codec. Reads every stored value, but decompresses
 * and verifies none.
 *
 * @param inner - the inner store, not the CompressedBlockstore around it
 *
 * @throws {InvalidParametersError}
 */
export async function stats (inner: WalkStore, options: StatsOptions = {}): Promise<BlockstoreStats> {
  const { codecs: known = allCodecs() } = options
  const readers = resolveReaders({ ...options, codecs: known })
  const total: BlockTotals = { blocks: 0, size: 0, storedSize: 0 }
  const codecs: BlockstoreStats['codecs'] = {}
  let unreadable = 0

  checkInner(inner, ['getAll', 'has'])

  const all = walk(inner, async stored => measure(stored, readers), {
    ...readers,
    concurrency: DEFAULT_CONVERT_CONCURRENCY,
    signal: options.signal
  })

  for await (const counted of all) {
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

    const { blocks, storedSize: storedSoFar } = total
    options.onProgress?.(new CustomProgressEvent('ipfsz:blockstore:stats', { blocks, storedSize: storedSoFar }))
  }

  return { ...total, ratio: total.size === 0 ? 1 : total.storedSize / total.size, codecs, unreadable }
}

/** @returns undefined if the envelope cannot be read */
async function measure ({ cid, value }: StoredValue, readers: Readers): Promise<Counted | undefined> {
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
