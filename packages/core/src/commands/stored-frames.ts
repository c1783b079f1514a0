import { codecName } from '../codec-names.ts'
import { isUnvouched } from '../read/read-linked.ts'
import type { StoredFile } from '../file-handle.ts'
import type { Entry } from '../read/entry.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'

/** How the frames of a compressed file are stored, if whoever has its codec can decompress them. */
export function storedFrames (entry: LinkedEntry): Omit<StoredFile, 'frames'> | undefined {
  const { node, header } = entry
  const codec = header == null ? undefined : codecName(header.codec)

  // `cat` compares the bytes of such a link with the original, and stored bytes cannot be compared;
  // frames with a base cannot be decompressed without it, and filtered ones are not the original then
  if (node == null || header == null || codec == null || isUnvouched(entry) || needsMore(header)) {
    return undefined
  }

  const { size, frameSize, frameSizes, frameLengths } = header

  return {
    codec,
    size,
    frameSize,
    ...frameSizes == null ? {} : { frameSizes },
    frameLengths,
    length: frameLengths.reduce((total, length) => total + length, 0)
  }
}

/** Whether more is needed to decompress the frames than their lengths in the header, and the codec. */
function needsMore ({ regions, filters, table }: NonNullable<Entry['header']>): boolean {
  return regions != null || filters != null || table != null
}
