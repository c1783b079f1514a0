import { MissingImplementationError } from '@ipfsz/codecs'
import type { FileNode } from '../dag/node.ts'
import type { HeldTable } from './read-seek-table.ts'
import type { ReadFramesOptions } from '../frames/read-frames.ts'
import type { Codec } from '@ipfsz/codecs'

/** A file without a header. Its CID says how it is compressed. */
export interface StreamFile {
  node: FileNode
  codec: Codec
  /** Keeps what one read has looked up for the next. */
  held?: HeldTable | undefined
}

export interface ReadStreamOptions extends ReadFramesOptions {
  maxWindowSize?: number | undefined
}

/**
 * Decompress a stream with its codec.
 *
 * @throws {MissingImplementationError} a codec passed by the caller has no `decompressStream`
 */
export function decompressStream (
  { codec }: StreamFile,
  source: AsyncIterable<Uint8Array>,
  { signal, maxWindowSize }: ReadStreamOptions
): AsyncGenerator<Uint8Array> {
  if (codec.decompressStream == null) {
    throw new MissingImplementationError(codec.name, codec.implementation, 'cannot decompress streams of other tools')
  }

  return codec.decompressStream(source, { signal, maxWindowSize })
}
