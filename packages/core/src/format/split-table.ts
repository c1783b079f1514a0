import { encodeSkipped } from '@ipfsz/codecs/skipped'
import { concat, slices } from '@ipfsz/utils/bytes'
import { GROUP_FRAMES } from './frame-groups.ts'
import { SEEK_TABLE } from './seek-table.ts'
import type { SkippingCodec } from '@ipfsz/codecs/skipped'
import type { TableLayout } from './frame-groups.ts'

const { entryLength } = SEEK_TABLE

/** The tables of codecs whose tools do not skip a seek table (docs/format.md, section 6). */
export const SPLIT_TABLES: Readonly<Record<SkippingCodec, TableLayout>> = {
  gzip: { headerLength: 16, entryLength, footerLength: 10, isSplit: true },
  lzo: { headerLength: 42, entryLength, footerLength: 8, isSplit: true },
  snappy: { headerLength: 4, entryLength, footerLength: 0, isSplit: true }
}

export function hasSplitTable (codec: string): codec is SkippingCodec {
  return Object.hasOwn(SPLIT_TABLES, codec)
}

/**
 * A part for each group of frames.
 *
 * @param entries - as a seek table has them
 */
export function encodeSplitTable (codec: SkippingCodec, entries: Uint8Array): Uint8Array {
  return concat([...slices(entries, GROUP_FRAMES * entryLength)].map(part => encodeSkipped(codec, part)))
}
