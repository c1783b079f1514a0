import { UnknownCodecError } from '../errors.ts'
import { codecName } from '../codec-names.ts'
import type { FileNode } from '../dag/node.ts'
import type { FrameEntry } from '../format/frame-groups.ts'
import type { Header, Region } from '../format/header.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

export interface CompressedFile {
  node: FileNode
  header: Header
  codec: Codec
  base?: RegionSource | undefined
  /** Keeps what one read has looked up for the next. */
  held?: HeldGroup | undefined
}

/** The last group of frames that was read of a table outside the root. */
export interface HeldGroup {
  group?: { number: number, entries: readonly FrameEntry[] }
}

/** The original content of a base. */
export interface RegionSource {
  /** The plain CID of the base. */
  readonly cid: CID
  /**
   * The original bytes of a region, which must not be changed. To be called in the order of the frames.
   *
   * @param size - original bytes of the frame that refers to it
   */
  read (region: Region, size: number): Promise<Uint8Array>
  /** Begin to read a region that will soon be asked for. Errors are those of `read`. */
  prepare (region: Region): void
}

/**
 * The codec of a file.
 *
 * @throws {UnknownCodecError} it is not among `codecs`
 */
export function codecOf (header: Pick<Header, 'codec'>, codecs: readonly Codec[]): Codec {
  const codec = codecs.find(codec => codec.code === header.codec)

  if (codec == null) {
    throw new UnknownCodecError(codecName(header.codec) ?? header.codec, codecs.map(codec => codec.name))
  }

  return codec
}

/** Whether a codec works in the memory that it is given: it takes over none for workers. */
export function isInPlace ({ implementation }: Codec): boolean {
  return implementation === 'native'
}
