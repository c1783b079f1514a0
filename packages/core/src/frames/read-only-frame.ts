import { unseal } from '@ipfsz/codecs/sealed'
import { CustomProgressEvent } from 'progress-events'
import { emit } from '../events.ts'
import { undoFilters } from '../filters/filters.ts'
import type { CompressedFile } from './compressed-file.ts'
import type { CatFrameEvents } from '../events.ts'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { ProgressOptions } from 'progress-events'

/** The most original bytes that are decompressed on the calling thread, 64 KiB: that takes 0.1 ms. */
const MAX_SIZE = 64 * 1024

/**
 * The original bytes of a file that is one frame in its root, without the steps that several go through: most files of
 * a tree are that small.
 *
 * @returns undefined if it is another file, or the codec does not decompress at once
 * @throws {CorruptFrameError}
 */
export function readOnlyFrame (
  { node, header, codec }: CompressedFile,
  options: ProgressOptions<CatFrameEvents | ExporterProgressEvents> & { signal?: AbortSignal | null | undefined }
): Uint8Array | undefined {
  const { size, frameLengths, filters, regions } = header
  const frame = node.links.length === 0 ? node.unixfs.data?.subarray(0, frameLengths[0]) : undefined

  if (frame == null || frameLengths.length !== 1 || size > MAX_SIZE || regions != null ||
    codec.decompressSync == null) {
    return undefined
  }

  options.signal?.throwIfAborted()
  // a block stays as it is
  const decoded = codec.decompressSync(filters == null ? frame : unseal(codec.name, frame.slice()), size)
  const bytes = filters == null || decoded == null ? decoded : undoFilters(decoded, filters)

  if (bytes != null) {
    options.onProgress?.(new CustomProgressEvent('unixfs:exporter:walk:file', { cid: node.cid }))
    emit(options, 'ipfsz:cat:frame', { frame: 0, size, length: frame.byteLength })
  }

  return bytes
}
