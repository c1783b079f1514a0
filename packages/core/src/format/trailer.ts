import { concat } from '@ipfsz/utils/bytes'
import { frameSizeAt } from './frame-sizes.ts'
import { encodeRegionTable, REGION_TABLE } from './region-table.ts'
import { encodeSeekTable, isSeekable, SEEK_TABLE, SKIPPABLE_MAGIC } from './seek-table.ts'
import { encodeSplitTable, hasSplitTable, SPLIT_TABLES } from './split-table.ts'
import type { TableLayout } from './frame-groups.ts'
import type { Header, Region } from './header.ts'
import type { RegionTableEntry } from './region-table.ts'
import type { SeekTableEntry } from './seek-table.ts'

/** The frames of a file. */
type Frames = Pick<Header, 'frameLengths' | 'frameSize' | 'frameSizes' | 'size'>

/** Bytes between the frames of a file and its base. */
export const BASE_HEAD_LENGTH = 8

/** How the table is laid out of a file whose header does not list its frames (docs/format.md, section 6). */
export function tableLayout (codec: string, isBased: boolean): TableLayout {
  if (isBased) {
    return REGION_TABLE
  }

  return hasSplitTable(codec) ? SPLIT_TABLES[codec] : SEEK_TABLE
}

/**
 * The bytes after a file's frames (docs/format.md, sections 4 and 6): a seek table, nothing, or before a base
 * the head of a skippable frame (RFC 8878, section 3.1.2) that holds the base as it is stored, so that the zstd
 * tool skips it. Before that a region table, unless the header lists the frames. If it does not, files without a base
 * have a table in every codec.
 *
 * @param storedBaseSize - bytes of the base as it is stored, if the file has one
 * @param isListed - whether the header lists the frames
 */
export function encodeTrailer (
  codec: string,
  header: Frames & Pick<Header, 'regions'>,
  storedBaseSize?: number,
  isListed = true
): Uint8Array {
  const { frameLengths, regions = [] } = header

  if (storedBaseSize != null) {
    const head = encodeBaseHead(storedBaseSize)

    return isListed ? head : concat([encodeRegionTable(withRegions(entriesOf(header), regions), regions.length), head])
  }

  if (isListed && (!isSeekable(codec) || frameLengths.length < 2)) {
    return new Uint8Array(0)
  }

  const table = encodeSeekTable(entriesOf(header), frameLengths.length)

  return hasSplitTable(codec)
    ? encodeSplitTable(codec, table.subarray(SEEK_TABLE.headerLength, -SEEK_TABLE.footerLength))
    : table
}

function * withRegions (
  entries: Iterable<SeekTableEntry>,
  regions: readonly Region[]
): Generator<RegionTableEntry> {
  let frame = 0

  for (const entry of entries) {
    yield { ...entry, region: regions[frame++] }
  }
}

/** One at a time: there may be millions. */
function * entriesOf (header: Frames): Generator<SeekTableEntry> {
  for (const [frame, length] of header.frameLengths.entries()) {
    yield { length, size: frameSizeAt(header, frame) }
  }
}

export function encodeBaseHead (storedBaseSize: number): Uint8Array {
  const bytes = new Uint8Array(BASE_HEAD_LENGTH)
  const view = new DataView(bytes.buffer)

  view.setUint32(0, SKIPPABLE_MAGIC, true)
  view.setUint32(4, storedBaseSize, true)

  return bytes
}
