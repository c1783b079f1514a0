import { findSeekTable } from '../streams/read-seek-table.ts'
import { measureStream } from '../streams/read-stream.ts'
import type { GetStore } from '../dag/block.ts'
import type { Description } from './describe.ts'
import type { ReadStreamOptions, StreamFile } from '../streams/stream-codec.ts'

/**
 * The original size of a stream compressed by another tool: from its seek table, or by
 * decompressing it if `extended` asks for that. Otherwise it is unknown.
 */
export async function streamStats (
  file: StreamFile,
  stats: Description,
  blockstore: GetStore,
  options: ReadStreamOptions & { extended?: boolean | undefined }
): Promise<Partial<Description>> {
  const table = await findSeekTable(file, blockstore, options)

  if (table == null && options.extended !== true) {
    return {}
  }

  const size = table?.size ?? await measureStream(file, blockstore, options)

  return {
    size: BigInt(size),
    ratio: size === 0 ? 1 : Number(stats.storedSize) / size,
    frames: table?.frames ?? 0,
    sizeKnown: true
  }
}
