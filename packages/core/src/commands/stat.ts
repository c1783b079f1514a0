import { fileSize } from '../dag/read.ts'
import { inspectDag } from '../read/inspect.ts'
import { describe } from '../read/describe.ts'
import { findHeader } from '../read/entry.ts'
import { openLinked } from '../read/linked-entry.ts'
import { isMarked, mark, TREE_CODE } from '../marker.ts'
import { codecOf } from '../frames/compressed-file.ts'
import { isByLink, reportUnchecked, throwIfNotOriginal } from '../read/read-linked.ts'
import { streamStats } from '../read/stream-stats.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { ExtendedStatOptions, ExtendedStats, Stats, StatOptions } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

export async function stat (
  cid: CID,
  settings: ReadSettings,
  options: StatOptions & Partial<ExtendedStatOptions> = {}
): Promise<Stats> {
  const entry = await openLinked(cid, settings, options, settings.roots)
  throwIfNotOriginal(entry, options)
  reportUnchecked(entry, options)

  const { node, block, stream } = entry
  let stats = describe(entry)

  if (isByLink(entry) && node?.unixfs.isDirectory() === true) {
    // for a linked directory: its plain CID would read the files as they are stored
    stats = { ...stats, markedCid: mark(entry.cid, TREE_CODE) }
  }

  if (node != null && stream != null) {
    const file = { node, codec: codecOf({ codec: stream }, settings.codecs) }
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

  if (options.extended !== true) {
    return stats as Stats
  }

  if (node == null) {
    const size = BigInt(block.byteLength)

    const dag = { blocks: 1n, uniqueBlocks: 1n, dagSize: size, deduplicatedDagSize: size, localSize: size }

    return { ...stats, ...dag } as ExtendedStats
  }

  // below a marked directory, a file counts with its original size, otherwise with its stored size
  const marked = isMarked(entry.asked)
  const { filesSize, ...dag } = await inspectDag(node, settings.blockstore, {
    ...options,
    sizeOf: file => (marked ? findHeader(file)?.size : undefined) ?? fileSize(file)
  })

  return { ...stats, ...dag, ...node.unixfs.isDirectory() ? { size: filesSize } : {} } as ExtendedStats
}
