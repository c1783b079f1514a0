import { CustomProgressEvent } from 'progress-events'
import { fileBase } from '../base/file-base.ts'
import { fileSize, readRange, readTransient } from '../dag/read.ts'
import { InvalidParametersError, NotAFileError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { codecOf } from '../frames/compressed-file.ts'
import { readFrames } from '../frames/read-frames.ts'
import { withHeld } from '../read/held.ts'
import { isByLink, readLinked } from '../read/read-linked.ts'
import { readWithTwin } from '../read/read-twin.ts'
import { readStream } from '../streams/read-stream.ts'
import type { ByteRange } from '../dag/read.ts'
import type { Entry } from '../read/entry.ts'
import type { LinkedEntry } from '../read/linked-entry.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CatOptions } from '../unixfs.ts'

/**
 * Read a file, or a range of it. A linked one is compared with the original.
 *
 * @param open - called when the first bytes are asked for. Its caller needs no generator of its own, which would take
 *   time for each chunk
 */
export async function * readEntry (
  open: () => LinkedEntry | Promise<LinkedEntry>,
  settings: ReadSettings,
  options: CatOptions
): AsyncGenerator<Uint8Array> {
  const entry = await open()

  if (isByLink(entry)) {
    // whoever compares them keeps bytes
    const content = read(entry, settings, { ...options, transient: false })
    yield * readLinked(entry, content, settings.links, options)
  } else if (settings.links.available && isPlainFile(entry)) {
    yield * readWithTwin(entry, read, settings, options)
  } else {
    yield * read(entry, settings, options)
  }
}

/** Whether it is a file of several blocks, and its stored bytes are returned as they are. */
function isPlainFile ({ node, header, stream }: Entry): boolean {
  return header == null && stream == null && node != null && !node.unixfs.isDirectory() && node.links.length > 0
}

async function * read (
  { block, node, header, stream, held }: Entry,
  settings: ReadSettings,
  options: CatOptions
): AsyncGenerator<Uint8Array> {
  const { blockstore, codecs, inFlightBytes } = settings

  if (node == null) {
    const range = toRange(block.byteLength, options)
    const bytes = block.subarray(range.start, range.end)
    yield * report('unixfs:exporter:progress:raw', [bytes], { ...range, size: block.byteLength }, options)
    return
  }

  if (node.unixfs.isDirectory()) {
    throw new NotAFileError()
  }

  if (header != null) {
    const range = toRange(header.size, options)
    const codec = codecOf(header, codecs)
    const base = hasBase(header) ? fileBase(node, header, withHeld(settings, held), options) : undefined

    yield * readFrames({ node, header, codec, base, held }, range, blockstore, { ...options, inFlightBytes })
    return
  }

  if (stream != null) {
    const file = { node, codec: codecOf({ codec: stream }, codecs), held }
    yield * readStream(file, options, blockstore, { ...options, inFlightBytes })
    return
  }

  // as in Helia, a symlink has no content
  if (node.unixfs.type === 'file' || node.unixfs.type === 'raw') {
    const size = fileSize(node)
    const range = toRange(size, options)
    const read = options.transient === true ? readTransient : readRange
    const stored = read(node, range, blockstore, options)
    yield * report('unixfs:exporter:progress:unixfs:file', stored, { ...range, size }, options)
  }
}

/** Report reading of a plain file with Helia's events. */
async function * report (
  type: 'unixfs:exporter:progress:raw' | 'unixfs:exporter:progress:unixfs:file',
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { start, end, size }: ByteRange & { size: number },
  { onProgress }: CatOptions
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0n

  for await (const bytes of source) {
    bytesRead += BigInt(bytes.byteLength)
    onProgress?.(new CustomProgressEvent(type, { bytesRead, totalBytes: BigInt(end - start), fileSize: BigInt(size) }))
    yield bytes
  }
}

/** The range of `offset` and `length`. The offset must not be past the file's end; the length may reach past it. */
function toRange (size: number, { offset = 0, length = size }: CatOptions): ByteRange {
  if (!Number.isInteger(offset) || offset < 0 || offset > size) {
    throw new InvalidParametersError(`Offset must be a whole number from 0 to the file's size ${size}, not ${offset}`)
  }

  if (!Number.isInteger(length) || length < 0) {
    throw new InvalidParametersError(`Length must be a whole number from 0, not ${length}`)
  }

  return { start: offset, end: Math.min(offset + length, size) }
}
