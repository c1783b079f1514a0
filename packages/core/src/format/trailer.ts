import { frameSizeAt } from './frame-sizes.ts'
import { encodeSeekTable, isSeekable, SKIPPABLE_MAGIC } from './seek-table.ts'
import type { Header } from './header.ts'
import type { SeekTableEntry } from './seek-table.ts'

/** The frames of a file. */
type Frames = Pick<Header, 'frameLengths' | 'frameSize' | 'frameSizes' | 'size'>

/** Bytes between the frames of a file and its base. */
export const BASE_HEAD_LENGTH = 8

/**
 * The bytes after a file's frames (docs/format.md, sections 4 and 6): a seek table, nothing, or before a base
 * the head of a skippable frame (RFC 8878, section 3.1.2) that holds the base as it is stored, so that the zstd
 * tool skips it.
 *
 * @param storedBaseSize - bytes of the base as it is stored, if the file has one
 */
export function encodeTrailer (
  codec: string,
  header: Frames,
  storedBaseSize?: number
): Uint8Array {
  if (storedBaseSize != null) {
    return encodeBaseHead(storedBaseSize)
  }

  const { frameLengths } = header

  if (!isSeekable(codec) || frameLengths.length < 2) {
    return new Uint8Array(0)
  }

  return encodeSeekTable(entriesOf(header), frameLengths.length)
}

/** One at a time: there may be millions. */
function * entriesOf (header: Frames): Generator<SeekTableEntry> {
  for (const [frame, length] of header.frameLengths.entries()) {
    yield { length, size: frameSizeAt(header, frame) }
  }
}

function encodeBaseHead (storedBaseSize: number): Uint8Array {
  const bytes = new Uint8Array(BASE_HEAD_LENGTH)
  const view = new DataView(bytes.buffer)

  view.setUint32(0, SKIPPABLE_MAGIC, true)
  view.setUint32(4, storedBaseSize, true)

  return bytes
}
