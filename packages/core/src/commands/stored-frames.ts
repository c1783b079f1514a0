import { codecName } from '../codec-names.ts'
import { baseOf } from '../dag/base-link.ts'
import { isUnvouched } from '../read/read-linked.ts'
import type { BasedFile, StoredFile } from '../file-handle.ts'
import type { Entry } from '../read/entry.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'

type WithoutFrames<File extends StoredFile> = Omit<File, 'frames'>

/** How the frames of a compressed file are stored, if whoever has its codec can decompress them. */
export function storedFrames (entry: LinkedEntry): WithoutFrames<StoredFile> | undefined {
  const stored = listedFrames(entry)

  // frames with a base cannot be decompressed without it
  return entry.header?.regions == null ? stored : undefined
}

/** How the frames of a file with a base are stored, if whoever has that and its codec can decompress them. */
export function basedFrames (entry: LinkedEntry): WithoutFrames<BasedFile> | undefined {
  const stored = listedFrames(entry)
  const { node, header } = entry

  return stored == null || node == null || header?.regions == null
    ? undefined
    : { ...stored, base: baseOf(node), regions: header.regions }
}

/** The frames of a compressed file that decompress to its original bytes, as its header lists them. */
function listedFrames (entry: LinkedEntry): WithoutFrames<StoredFile> | undefined {
  const { node, header } = entry
  const codec = header == null ? undefined : codecName(header.codec)

  // `cat` compares the bytes of such a link with the original, and stored bytes cannot be compared; filtered frames are
  // not the original
  if (node == null || header == null || codec == null || isUnvouched(entry) || isElsewhere(header)) {
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

/** Whether the header does not list the frames, or they hold something else than the original bytes. */
function isElsewhere ({ filters, table }: NonNullable<Entry['header']>): boolean {
  return filters != null || table != null
}
