/** The skippable frame that holds a seek table, in Zstandard and LZ4 alike. */
export const SKIPPABLE_MAGIC = 0x184d2a5e
const SEEKABLE_MAGIC = 0x8f92eab1
const ENTRY_LENGTH = 8
const HEADER_LENGTH = 8
const FOOTER_LENGTH = 9

/** The size of one frame, compressed (`length`) and original (`size`), in bytes. */
interface SeekTableEntry {
  length: number
  size: number
}

/**
 * The seek table of the Zstandard Seekable Format 0.1.0, without checksums. Tools that know
 * it can read the stream at any offset; others skip it.
 */
export function encodeSeekTable (entries: readonly SeekTableEntry[]): Uint8Array {
  const contentLength = entries.length * ENTRY_LENGTH + FOOTER_LENGTH
  const bytes = new Uint8Array(HEADER_LENGTH + contentLength)
  const view = new DataView(bytes.buffer)

  view.setUint32(0, SKIPPABLE_MAGIC, true)
  view.setUint32(4, contentLength, true)

  let position = HEADER_LENGTH

  for (const { length, size } of entries) {
    view.setUint32(position, length, true)
    view.setUint32(position + 4, size, true)
    position += ENTRY_LENGTH
  }

  view.setUint32(position, entries.length, true)
  // the descriptor: no checksums
  view.setUint8(position + 4, 0)
  view.setUint32(position + 5, SEEKABLE_MAGIC, true)

  return bytes
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
