import { MissingImplementationError } from '@ipfsz/codecs'
import type { FileNode } from '../dag/node.ts'
import type { ReadFramesOptions } from '../frames/read-frames.ts'
import type { Codec } from '@ipfsz/codecs'

/** A file without a header whose CID says how it is compressed. */
export interface StreamFile {
  node: FileNode
  codec: Codec
}

export interface ReadStreamOptions extends ReadFramesOptions {
  maxWindowSize?: number | undefined
}

/**
 * Decompress with what a codec has for streams.
 *
 * @throws {MissingImplementationError} the codec was made elsewhere, and has nothing
 */
export function decompressStream ({ codec }: StreamFile, source: AsyncIterable<Uint8Array>, { signal, maxWindowSize }: ReadStreamOptions): AsyncGenerator<Uint8Array> {
  if (codec.decompressStream == null) {
    throw new MissingImplementationError(codec.name, codec.implementation, 'reads no streams that others made')
  }

  return codec.decompressStream(source, { signal, maxWindowSize })
}
