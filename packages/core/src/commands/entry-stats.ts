import { DagMeter } from '../read/dag-meter.ts'
import { describe, ratioOf } from '../read/describe.ts'
import { isIdentity } from '../dag/hashes.ts'
import { isMarked, mark, TREE_CODE } from '../marker.ts'
import { codecOf } from '../frames/compressed-file.ts'
import { isByLink, reportUnchecked } from '../read/read-linked.ts'
import { streamStats } from '../read/stream-stats.ts'
import type { MeasureOptions } from '../read/dag-meter.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { Description } from '../read/describe.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { ExtendedStatOptions, ExtendedStats, Stats, StatOptions } from '../unixfs.ts'

export async function statsOf (
  entry: LinkedEntry,
  settings: ReadSettings,
  options: StatOptions & Partial<ExtendedStatOptions>
): Promise<Stats> {
  reportUnchecked(entry, options)

  const { node, stream, held } = entry
  let stats = describe(entry)

  // a linked directory too: its plain CID would read the files as they are stored
  if (node?.unixfs.isDirectory() === true && (isMarked(entry.asked) || isByLink(entry))) {
    stats = { ...stats, markedCid: mark(entry.cid, TREE_CODE) }
  }

  if (node != null && stream != null) {
    const file = { node, codec: codecOf({ codec: stream }, settings.codecs), held }
    stats = {
      ...stats,
      ...await streamStats(file, stats, settings.blockstore, {
        ...options as object,
        signal: options.signal,
        extended: options.extended,
        inFlightBytes: settings.inFlightBytes
      })
    }
  }

  return (options.extended === true ? { ...stats, ...await measure(entry, stats, settings, options) } : stats) as Stats
}

/** Walk the whole DAG and count it. */
async function measure (
  { asked, cid, node, block }: LinkedEntry,
  stats: Description,
  settings: ReadSettings,
  { filter, offline, maxBlocks, ...options }: StatOptions & Partial<ExtendedStatOptions>
): Promise<Partial<ExtendedStats>> {
  if (node == null) {
    const size = BigInt(block.byteLength)

    const uniqueBlocks = isIdentity(cid) ? 0n : 1n

    return { blocks: 1n, uniqueBlocks, dagSize: size, deduplicatedDagSize: size, localSize: size }
  }

  const marked = isMarked(asked)
  const meter = new DagMeter({
    blockstore: settings.blockstore,
    // below a marked directory, a file counts with its original size, otherwise with its stored size
    marked,
    offline,
    maxBlocks,
    ...filter == null ? {} : { seen: byFilter(filter) }
  }, new Map())
  const walkOptions = { ...options, ...offline === true ? { offline } : {} } as MeasureOptions
  const own = await meter.add(node, walkOptions)
  const bases = await meter.addBases(walkOptions)
  const storedSize = own.storedSize + own.missingSize
  const directory = node.unixfs.isDirectory()
  const size = directory ? own.totals.filesSize : stats.size

  return {
    ...directory ? { size } : {},
    blocks: own.totals.blocks + bases.totals.blocks,
    dagSize: own.totals.dagSize + bases.totals.dagSize,
    localSize: own.totals.localSize + bases.totals.localSize,
    uniqueBlocks: BigInt(own.blocks + bases.blocks),
    deduplicatedDagSize: own.storedSize + bases.storedSize,
    storedSize,
    fetchSize: storedSize + bases.storedSize + bases.missingSize,
    ratio: ratioOf(storedSize, size),
    ...directory && own.isIncomplete ? { sizeKnown: false } : {},
    ...directory && own.compressed.files > 0 ? { markedCid: mark(cid, TREE_CODE) } : {}
  }
}

/** Helia's filters are checked with the bytes of CIDs. */
function byFilter (filter: NonNullable<ExtendedStatOptions['filter']>): SeenBlocks {
  return { has: ({ bytes }) => filter.has(bytes), add: ({ bytes }) => { filter.add(bytes) } }
}
