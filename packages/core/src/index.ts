/**
 * @packageDocumentation
 *
 * UnixFS for Helia that stores files compressed. It has the shape of
 * `@helia/unixfs`: what is added comes back as it was, under a marked CID that
 * says how it is compressed. The blocks are ordinary UnixFS: any IPFS node can
 * pin, provide and serve them under the plain twin of the CID.
 *
 * @example Add a file and read it back
 *
 * ```typescript
 * import { ipfsz } from '@ipfsz/core'
 * import { createHeliaLight } from 'helia'
 *
 * const helia = createHeliaLight()
 * const fs = ipfsz(helia)
 *
 * const cid = await fs.addBytes(new TextEncoder().encode('hello '.repeat(1000)))
 *
 * for await (const bytes of fs.cat(cid, { offset: 6, length: 5 })) {
 *   console.info(new TextDecoder().decode(bytes))
 * }
 * ```
 *
 * @example Choose how to compress, see what it saved, hand out the plain CID
 *
 * ```typescript
 * import { ipfsz, unmark } from '@ipfsz/core'
 * import { MemoryBlockstore } from 'blockstore-core'
 *
 * const fs = ipfsz({ blockstore: new MemoryBlockstore() })
 * const cid = await fs.addBytes(new Uint8Array(1_000_000), {
 *   compression: { codec: 'brotli', level: 9 }
 * })
 * const { size, storedSize, ratio } = await fs.stat(cid)
 *
 * console.info(size, storedSize, ratio, unmark(cid).toString())
 * ```
 */

import { allCodecs } from '@ipfsz/codecs/all'
import { DEFAULT_IN_FLIGHT_BYTES } from './constants.ts'
import { InvalidParametersError } from './errors.ts'
import { DefaultIpfsz } from './ipfsz.ts'
import type { CompressionOptions } from './compression.ts'
import type { GetBlockOptions } from './dag/block.ts'
import type { ReadOptions } from './dag/read.ts'
import type { AddFrameEvents, CatFrameEvents } from './events.ts'
import type * as unixfs from '@helia/unixfs'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'
import type { UnixFS as UnixFSMessage } from 'ipfs-unixfs'
import type { ByteStream } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export type { FileCandidate } from '@helia/unixfs'
type FileCandidate = unixfs.FileCandidate

export interface IpfszComponents {
  blockstore: Pick<Blockstore, 'get' | 'put' | 'has'>
}

export interface IpfszInit {
  /**
   * The codecs to read and write with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined

  /**
   * Compress with implementations that are the same build in Node and in browsers,
   * so that the same bytes added with the same options have the same CID on both.
   * It costs speed where there are native ones; reading stays as it is.
   *
   * @default false
   */
  deterministic?: boolean | undefined

  /**
   * The most original bytes in the frames that one call compresses or
   * decompresses at one time, whatever the size of the file.
   *
   * @default 33554432
   */
  inFlightBytes?: number | undefined
}

export type AddEvents = unixfs.AddEvents | AddFrameEvents

export interface AddFileOptions extends Omit<unixfs.AddFileOptions, 'onProgress'>, ProgressOptions<AddEvents> {
  /** How to compress. Files that are stored plain are stored as the other options say. */
  compression?: CompressionOptions | undefined
}

export type AddOptions = AddFileOptions

export type CatEvents = unixfs.GetEvents | CatFrameEvents

export interface CatOptions extends Omit<unixfs.CatOptions, 'onProgress' | 'signal'>, Omit<ReadOptions, 'onProgress'>, ProgressOptions<CatEvents> {}

export interface StatOptions extends Omit<unixfs.StatOptions, 'signal'>, GetBlockOptions {
  /**
   * Count the blocks too, which fetches the inner nodes of a file with more than
   * 1,024 leaves.
   *
   * @default false
   */
  extended?: boolean | undefined
}

/** What `unixfs.stat` tells, and how the file is compressed. */
export interface Stats extends Omit<unixfs.Stats, 'size'> {
  unixfs?: UnixFSMessage

  /** Bytes that reading gives: those of the original, where the CID is a marked one. */
  size: bigint

  /** Bytes of all blocks of the file. */
  storedSize: bigint

  /** storedSize / size, 1 for an empty file. */
  ratio: number

  /** The codec that reading decompresses with. */
  codec: CodecName | 'none'

  /** How many frames reading decompresses. */
  frames: number

  /** Original bytes in every frame but the last. */
  frameSize?: number

  /** The CID that any IPFS node knows the file by. */
  plainCid: CID

  /** The CID that the file's original bytes are read by, where it is compressed. */
  markedCid?: CID

  /** How many blocks the file has, if `extended` was asked for. */
  blocks?: bigint
}

/** The verbs of `@helia/unixfs`, of files that are compressed where that is worth it. */
export interface Ipfsz {
  /** The codecs that files are read and written with. */
  readonly codecs: readonly Codec[]

  /**
   * Add bytes. The CID is a marked one, or a plain one where the bytes are stored
   * as they are.
   *
   * @throws {UnknownCodecError}
   * @throws {InvalidLevelError}
   * @throws {InvalidFrameSizeError}
   */
  addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID>

  /**
   * Add a stream of bytes, as `addBytes`. Memory does not grow with its length.
   *
   * @throws {FileTooLargeError} it has more frames than a root can list
   */
  addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID>

  /**
   * Add a file in a directory of its own. The CID is that of the directory, marked
   * as a tree where the file is compressed: read it with `path`.
   */
  addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID>

  /**
   * Read a file: the original bytes by a marked CID, the stored ones by a plain
   * CID. With an offset only the root and the leaves that hold the range are
   * fetched.
   *
   * @throws {NotFoundError} a block is not there
   * @throws {NotAFileError}
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   * @throws {CorruptBlockError} a block's bytes are not those that its CID names
   * @throws {CorruptFrameError}
   */
  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array>

  /**
   * What a CID names, its size and how it is compressed, from its root block.
   *
   * @throws {NotFoundError} the root block is not there
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   */
  stat (cid: CID, options?: StatOptions): Promise<Stats>
}

/**
 * Create an {@link Ipfsz} on a Helia node, or on anything else with a blockstore.
 *
 * @throws {InvalidParametersError} inFlightBytes is not above 0, or `deterministic` is
 *   asked of codecs that were made elsewhere
 */
export function ipfsz (components: IpfszComponents, init: IpfszInit = {}): Ipfsz {
  const { codecs = allCodecs(), deterministic = false, inFlightBytes = DEFAULT_IN_FLIGHT_BYTES } = init

  if (!(inFlightBytes > 0)) {
    throw new InvalidParametersError(`inFlightBytes is a number above 0, not ${inFlightBytes}`)
  }

  if (deterministic && init.codecs != null) {
    throw new InvalidParametersError('deterministic is for the codecs of @ipfsz/codecs: give it to those in `codecs` instead')
  }

  return new DefaultIpfsz({
    blockstore: components.blockstore,
    codecs,
    writers: deterministic ? allCodecs({ deterministic }) : codecs,
    inFlightBytes
  })
}

export { DEFAULT_FRAME_SIZE, DEFAULT_IN_FLIGHT_BYTES, MIN_FRAME_SIZE } from './constants.ts'
export * from './errors.ts'
export { frameConcurrency } from './frame.ts'
export { codecName, isMarked, mark, markerCodecs, MARKERS, TREE_CODE, unmark } from './marker.ts'
export type { CompressionOptions } from './compression.ts'
export type { AddFrameEvents, CatFrameEvents, DecidedProgress, FrameProgress } from './events.ts'
