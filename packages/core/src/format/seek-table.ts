/** The skippable frame that holds a seek table, in Zstandard and LZ4 alike. */
export const SKIPPABLE_MAGIC = 0x184d2a5e
const SEEKABLE_MAGIC = 0x8f92eab1
const ENTRY_LENGTH = 8
const HEADER_LENGTH = 8
const FOOTER_LENGTH = 9

/** Maximum number of frames in a table: those of a seek table. */
export const MAX_SEEKABLE_FRAMES = 2 ** 27

/** The size of one frame, compressed (`length`) and original (`size`), in bytes. */
export interface SeekTableEntry {
  length: number
  size: number
}

/**
 * The seek table of the Zstandard Seekable Format 0.1.0, without checksums. Tools that know
 * it can read the stream at any offset; others skip it.
 *
 * @param count - how many entries there are
 */
export function encodeSeekTable (entries: Iterable<SeekTableEntry>, count: number): Uint8Array {
  const { head, foot } = seekTableEnds(count)
  const bytes = new Uint8Array(seekTableLength(count))
  const view = new DataView(bytes.buffer)
  let position = HEADER_LENGTH

  for (const { length, size } of entries) {
    view.setUint32(position, length, true)
    view.setUint32(position + 4, size, true)
    position += ENTRY_LENGTH
  }

  bytes.set(head)
  bytes.set(foot, position)

  return bytes
}

/** What is before and after the entries of a seek table. */
export function seekTableEnds (count: number): { head: Uint8Array, foot: Uint8Array } {
  const head = new DataView(new ArrayBuffer(HEADER_LENGTH))
  const foot = new DataView(new ArrayBuffer(FOOTER_LENGTH))

  head.setUint32(0, SKIPPABLE_MAGIC, true)
  head.setUint32(4, count * ENTRY_LENGTH + FOOTER_LENGTH, true)
  foot.setUint32(0, count, true)
  // the descriptor: no checksums
  foot.setUint8(4, 0)
  foot.setUint32(5, SEEKABLE_MAGIC, true)

  return { head: new Uint8Array(head.buffer), foot: new Uint8Array(foot.buffer) }
}

/** Bytes of a seek table of so many frames. */
export function seekTableLength (count: number): number {
  return HEADER_LENGTH + count * ENTRY_LENGTH + FOOTER_LENGTH
}

/** The codecs whose tools skip a seek table (docs/format.md, section 4). */
const SEEKABLE: ReadonlySet<string> = new Set(['zstd', 'lz4'])

export function isSeekable (codec: string): boolean {
  return SEEKABLE.has(codec)
}

/** Constants for reading a seek table. */
export const SEEK_TABLE = {
  skippableMagic: SKIPPABLE_MAGIC,
  seekableMagic: SEEKABLE_MAGIC,
  /** Bytes before the entries, after them, and in one entry without a checksum. */
  headerLength: HEADER_LENGTH,
  footerLength: FOOTER_LENGTH,
  entryLength: ENTRY_LENGTH
} as const
