import { readRange } from '../dag/read.ts'
import { codecName } from '../marker.ts'
import { openLinked } from '../read/linked-entry.ts'
import { isUnvouched, throwIfNotOriginal } from '../read/read-linked.ts'
import type { Entry } from '../read/entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { StoredFile, StoredFileOptions } from '../unixfs.ts'
import type { CID } from 'multiformats/cid'

/** Whether more is needed to decompress the frames than their lengths in the header, and the codec. */
function needsMore ({ regions, filters, table }: NonNullable<Entry['header']>): boolean {
  return regions != null || filters != null || table != null
}

/** Open a compressed file to hand out its frames as they are stored. Calls no codec. */
export async function storedFile (
  cid: CID,
  settings: ReadSettings,
  options: StoredFileOptions = {}
): Promise<StoredFile | undefined> {
  const entry = await openLinked(cid, settings, options, settings.roots)
  throwIfNotOriginal(entry, options)

  const { node, header } = entry
  const codec = header == null ? undefined : codecName(header.codec)

  // `cat` compares the bytes of such a link with the original, and stored bytes cannot be compared;
  // frames with a base cannot be decompressed without it, and filtered ones are not the original then
  if (node == null || header == null || codec == null || isUnvouched(entry) || needsMore(header)) {
    return undefined
  }

  const { size, frameSize, frameSizes, frameLengths } = header
  const length = frameLengths.reduce((total, length) => total + length, 0)

  return {
    codec,
    size,
    frameSize,
    ...frameSizes == null ? {} : { frameSizes },
    frameLengths,
    length,
    frames: ({ offset = 0, signal = options.signal, readAhead = options.readAhead, onOpenLinks } = {}) =>
      readRange(node, offset, length, settings.blockstore, { ...options, signal, readAhead, onOpenLinks })
  }
}
