import { openBase } from '../base/base-content.ts'
import { DEFAULT_FETCH_BYTES, MAX_FOREIGN_LEAF_SIZE } from '../constants.ts'
import { baseOf } from '../dag/base-link.ts'
import { fileSize } from '../dag/read.ts'
import { UnreadableBaseError } from '../errors.ts'
import { GROUP_FRAMES } from '../format/frame-groups.ts'
import { frameCount } from '../format/frame-sizes.ts'
import { hasBase } from '../format/header.ts'
import { longestFrame } from '../format/longest-frame.ts'
import { frameConcurrency } from '../frames/frame-concurrency.ts'
import { largestRegion } from '../frames/read-frames.ts'
import { codecName } from '../codec-names.ts'
import { withHeld } from '../read/held.ts'
import { isUnvouched } from '../read/read-linked.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadCost } from '../file-handle.ts'
import type { Header } from '../format/header.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** About how many bytes each frame takes of a group that is being read; and each number, and region, of a header. */
const OPEN_FRAME = 64
const LISTED_NUMBER = 8
const LISTED_REGION = 56

/** Memory of the decoder of a stream, in bytes: its window, or the largest block and the data that it refers to. */
const STREAM_WINDOWS: Readonly<Record<string, number>> = {
  brotli: 17 * MIB,
  gzip: 256 * KIB,
  lz4: 9 * MIB,
  lzo: 32 * MIB,
  snappy: 512 * KIB,
  zstd: 13 * MIB
}

/** The memory of an unknown codec. */
const LARGEST_WINDOW = 32 * MIB

/** Memory for reading, in bytes: at least, and with reading ahead. */
type Held = Pick<ReadCost, 'memory' | 'memoryAhead'>

const NOTHING: Held = { memory: 0, memoryAhead: 0 }

/** The memory for reading a file. Decompresses only a small base, which is kept. */
export async function readCost (
  entry: LinkedEntry,
  settings: ReadSettings,
  signal: AbortSignal | null | undefined
): Promise<ReadCost> {
  const { block, node, header, stream, held } = entry
  const hasRanges = !isUnvouched(entry)

  if (node == null) {
    return { hasRanges, isSeekable: hasRanges, ...sum([{ memory: block.byteLength, memoryAhead: block.byteLength }]) }
  }

  const blocks = blocksHeld(node, settings)

  if (header != null) {
    const base = hasBase(header) ? await baseHeld(node, header, withHeld(settings, held), signal) : NOTHING

    return { hasRanges, isSeekable: hasRanges, ...sum([blocks, base, framesHeld(header, settings)]) }
  }

  const window = stream == null ? 0 : STREAM_WINDOWS[codecName(stream) ?? ''] ?? LARGEST_WINDOW

  // a stream can be read from its beginning alone
  const isSeekable = hasRanges && stream == null

  return { hasRanges, isSeekable, ...sum([blocks, { memory: window, memoryAhead: window }]) }
}

/** The root, and the blocks below it that are read. */
function blocksHeld (node: FileNode, { blockstore }: ReadSettings): Held {
  const { readAheadBytes = DEFAULT_FETCH_BYTES } = blockstore as { readAheadBytes?: number }
  const size = node.links.length === 0 ? 0 : fileSize(node)
  const block = Math.min(size, MAX_FOREIGN_LEAF_SIZE)

  return { memory: node.length + block, memoryAhead: node.length + Math.min(size, readAheadBytes + block) }
}

/** Frames, the list of them, and what they are decompressed from. */
function framesHeld (header: Header, { inFlightBytes }: ReadSettings): Held {
  const { size, frameSize, frameSizes, filters, regions = [], table } = header
  const region = largestRegion(header)
  const copies = filters == null ? 1 : 2
  const one = Math.min(size, frameSize) * copies + longestFrame(header) + region
  const count = frameCount(header)
  const numbers = (header.frameLengths.length + (frameSizes?.length ?? 0) + 4 * (table?.groups.length ?? 0))
  const list = numbers * LISTED_NUMBER + regions.length * LISTED_REGION + Math.min(count, GROUP_FRAMES) * OPEN_FRAME
  // the one that was yielded last, too
  const open = Math.min(frameConcurrency(frameSize * copies + region, inFlightBytes) + 1, count)

  return { memory: list + one, memoryAhead: list + one * Math.max(open, 1) }
}

/** The pieces of a base that a region is in, and those that are kept for the next ones. */
async function baseHeld (
  node: FileNode,
  header: Header,
  settings: ReadSettings,
  signal: AbortSignal | null | undefined
): Promise<Held> {
  const cid = baseOf(node)

  try {
    const { size, pieceSize, pieceMemory } = await openBase(cid, settings, { signal })
    const pieces = Math.ceil(size / pieceSize)
    const needed = Math.min(Math.floor(largestRegion(header) / pieceSize) + 2, pieces)
    const kept = Math.min(Math.max(needed, Math.floor(settings.inFlightBytes / pieceSize)), pieces)
    const loading = needed * pieceMemory

    return { memory: needed * pieceSize + loading, memoryAhead: kept * pieceSize + loading }
  } catch (err) {
    signal?.throwIfAborted()
    throw new UnreadableBaseError(node.cid, cid, err)
  }
}

function sum (parts: Held[]): Held {
  return {
    memory: parts.reduce((total, { memory }) => total + memory, 0),
    memoryAhead: parts.reduce((total, { memoryAhead }) => total + memoryAhead, 0)
  }
}
