import { codecName } from '../marker.ts'
import { UnknownCodecError } from '../errors.ts'
import { fileSize, readRange } from '../dag/read.ts'
import { openEntry } from '../entry.ts'
import { InvalidParametersError, NotAFileError } from '../errors.ts'
import { readFrames } from '../read-frames.ts'
import type { CatOptions } from '../index.ts'
import type { Settings } from '../ipfsz.ts'
import type { CID } from 'multiformats/cid'

export async function * cat (cid: CID, settings: Settings, options: CatOptions = {}): AsyncGenerator<Uint8Array> {
  const { blockstore, codecs, inFlightBytes } = settings
  const { block, node, header } = await openEntry(cid, blockstore, options)

  if (node == null) {
    const { start, end } = toRange(block.byteLength, options)
    yield block.subarray(start, end)
    return
  }

  if (node.unixfs.isDirectory()) {
    throw new NotAFileError()
  }

  if (header != null) {
    const { start, end } = toRange(header.size, options)
    const codec = codecs.find(codec => codec.code === header.codec)

    if (codec == null) {
      throw new UnknownCodecError(codecName(header.codec) ?? header.codec, codecs.map(codec => codec.name))
    }

    yield * readFrames({ node, header, codec }, start, end, blockstore, { ...options, inFlightBytes })
    return
  }

  // as with Helia, a symlink has no content of its own
  if (node.unixfs.type === 'file' || node.unixfs.type === 'raw') {
    const { start, end } = toRange(fileSize(node), options)
    yield * readRange(node, start, end, blockstore, options)
  }
}

/** The range that offset and length ask for: an offset behind the end is an error, a length that leads there is not. */
function toRange (size: number, { offset = 0, length = size }: CatOptions): { start: number, end: number } {
  if (!Number.isInteger(offset) || offset < 0 || offset > size) {
    throw new InvalidParametersError(`Offset must be a whole number from 0 to the file's size, ${size}, not ${offset}`)
  }

  if (!Number.isInteger(length) || length < 0) {
    throw new InvalidParametersError(`Length must be a whole number from 0, not ${length}`)
  }

  return { start: offset, end: Math.min(offset + length, size) }
}
