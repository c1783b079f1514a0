import { slices } from '@ipfsz/utils/bytes'
import { GROUP_FRAMES } from '../format/frame-groups.ts'
import { encodeTrailer, tableLayout } from '../format/trailer.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { TableLayout } from '../format/frame-groups.ts'
import type { Frame } from '../frames/compress-frames.ts'
import type { FrameTable } from '../frames/frame-table.ts'

/** The most bytes of a table that stay together if leaves are small, 64 KiB, but at least the entries of a group. */
const TABLE_PART_SIZE = 64 * 1024

/** The bytes of all frames, recorded in the table, followed by the codec's trailer. */
export async function * joinFrames (
  frames: AsyncIterable<Frame>,
  table: FrameTable,
  codec: string,
  base?: FrameBase
): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) {
    table.add(frame)
    yield frame.bytes
  }

  yield * trailerOf(table, codec, base)
}

/** What comes after the frames, in the parts in which it is stored. */
export function * trailerOf (table: FrameTable, codec: string, base?: FrameBase): Generator<Uint8Array> {
  const { all, isListed } = table
  const storedBaseSize = all.regions == null ? undefined : base?.link.size
  const trailer = encodeTrailer(codec, all, storedBaseSize, isListed)

  if (!isListed) {
    yield * groupsOf(trailer, tableLayout(codec, all.regions != null))
  } else if (trailer.byteLength > 0) {
    yield trailer
  }
}

/** A table in parts, between two groups of frames: reading a range takes one of them. */
function * groupsOf (table: Uint8Array, layout: TableLayout): Generator<Uint8Array> {
  const { headerLength, entryLength, footerLength, isSplit = false } = layout
  const group = GROUP_FRAMES * entryLength

  if (isSplit) {
    yield * slices(table, headerLength + group + footerLength)
    return
  }

  const part = group * Math.max(1, Math.floor(TABLE_PART_SIZE / group))

  yield table.subarray(0, headerLength + part)
  yield * slices(table.subarray(headerLength + part), part)
}
