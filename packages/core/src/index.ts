// Longer than others: the public types with their docstrings, and one function that puts the parts together.
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
import { DefaultLinks } from './default-links.ts'
import { InvalidParametersError } from './errors.ts'
import { fetchSettings } from './fetch/init.ts'
import { DefaultIpfsz } from './ipfsz.ts'
import type { ProviderRouting } from './fetch/fetch-scope.ts'
import type { FetchInit } from './fetch/init.ts'
import type { LinkDatastore, Links } from './links.ts'
import type { AddFileOptions, AddOptions, ByteStream, CatOptions, ChmodOptions, CpOptions, DirectoryCandidate, DirectoryEntry, ExtendedStatOptions, ExtendedStats, FileCandidate, ImportCandidateStream, ImportResult, LsOptions, MkdirOptions, RmOptions, Stats, StatOptions, TouchOptions } from './unixfs.ts'
import type { VerifyOptions, VerifyReport } from './verification.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export interface IpfszComponents {
  blockstore: Pick<Blockstore, 'get' | 'put' | 'has'>
  /** Where links between original and compressed CIDs are kept. Without one there are none. */
  datastore?: LinkDatastore | undefined
  /** Who has something. A peer that goes away while a file is fetched from it is replaced by those that this finds. */
  routing?: ProviderRouting | undefined
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

  /** How blocks are fetched that are not here, by a blockstore that asks others for them. */
  fetch?: FetchInit | undefined
}

/** The verbs of `@helia/unixfs`, of files that are compressed where that is worth it. */
export interface Ipfsz {
  /** The codecs that files are read and written with. */
  readonly codecs: readonly Codec[]

  /** Which compressed file has the bytes of which original, and the other way round. */
  readonly links: Links

  /**
   * Add files, directories and symlinks, as `unixfs.addAll`. In the results compressed
   * files have their marked CIDs, and directories with a compressed file at any depth
   * that of a tree. The bytes of all files that are worked on at one time are bounded
   * by `inFlightBytes`.
   *
   * @throws {InvalidParametersError} a path has `..` in it, an escaped slash, or more
   *   than 1,024 names
   * @throws {AlreadyExistsError} two candidates have one path: the first would be lost
   */
  addAll (source: ImportCandidateStream, options?: AddOptions): AsyncIterable<ImportResult>

  /**
   * Add bytes. The CID is a marked one, or a plain one where the bytes are stored
   * as they are.
   *
   * @throws {UnknownCodecError}
   * @throws {InvalidLevelError}
   * @throws {InvalidFrameSizeError}
   * @throws {LinksUnavailableError} it is to be linked, and there is no datastore
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

  /** Add an empty directory, in those that its path names. */
  addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID>

  /**
   * Read a file: the original bytes by a marked CID, the stored ones by a plain
   * CID. With an offset only the root and the leaves that hold the range are
   * fetched. An original that is not stored here is read from the compressed file
   * that it is linked to. The whole file is compared with that CID on its way, so the
   * error may come after most of the bytes. A part is read where something vouches
   * for the link (docs/limits.md, "Reading by an original CID").
   *
   * @throws {NotFoundError} a block is not there
   * @throws {NotAFileError}
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   * @throws {CorruptBlockError} a block's bytes are not those that its CID names
   * @throws {UnknownHashError} whether they are cannot be told
   * @throws {DigestLengthError} nor with so short a digest
   * @throws {CorruptFrameError}
   * @throws {FetchStalledError} nothing arrived from others for the timeout of `fetch`
   * @throws {LinkMismatchError} an original is linked to a file with other bytes
   * @throws {UncheckedLinkError} nothing vouches for a part of a file, or a directory,
   *   that was asked for by an original
   */
  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array>

  /**
   * Change the mode of a file or directory, with `recursive` of all below it. Files
   * stay compressed as they are. The CID is marked as the one that was given.
   */
  chmod (cid: CID, mode: number, options?: ChmodOptions): Promise<CID>

  /**
   * Put a file or directory into a directory. The CID is that of a tree where either
   * was marked.
   *
   * @throws {AlreadyExistsError} there is one of that name, and no `force`
   * @throws {NotADirectoryError}
   * @throws {InvalidParametersError} no entry can have that name
   */
  cp (source: CID, target: CID, name: string, options?: CpOptions): Promise<CID>

  /**
   * List a directory, with what the root of each entry says: one block a file, none
   * where the file is a raw block.
   *
   * @throws {InvalidDagError} an entry is called as none may be, or two the same
   */
  ls (cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry>

  /** Make a directory in a directory. In a tree the CID is that of a tree. */
  mkdir (cid: CID, dirname: string, options?: MkdirOptions): Promise<CID>

  /**
   * Remove an entry of a directory. In a tree the CID is that of a tree.
   *
   * @throws {DoesNotExistError} a sharded directory has no such entry; of others it
   *   comes back as it was, as with Helia
   */
  rm (cid: CID, path: string, options?: RmOptions): Promise<CID>

  /**
   * What a CID names, its size and how it is compressed, from its root block.
   *
   * @throws {NotFoundError} the root block is not there
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   */
  stat (cid: CID, options?: StatOptions): Promise<Stats>
  stat (cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>

  /** Change the mtime, by default to now, as `chmod` changes the mode. */
  touch (cid: CID, options?: TouchOptions): Promise<CID>

  /**
   * Read a file to its end, or all files of a directory: every block and every frame,
   * what follows the frames, and the content CID where the header names one. By an
   * original that is linked the bytes are compared with its CID, and the link keeps
   * that they were. What is wrong first is thrown: the errors of `cat`, and those below.
   *
   * @throws {InvalidTrailerError} the seek table differs from the header, or something
   *   else follows the frames
   * @throws {ContentMismatchError} the bytes are not those of the content CID
   * @throws {VerifyFailedError} something below a directory is wrong: its `path` says
   *   where, its `cause` what
   */
  verify (cid: CID, options?: VerifyOptions): Promise<VerifyReport>
}

/**
 * Create an {@link Ipfsz} on a Helia node, or on anything else with a blockstore.
 *
 * @throws {InvalidParametersError} inFlightBytes or a number of `fetch` is not above 0, or `deterministic` is
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

  const fs: DefaultIpfsz = new DefaultIpfsz({
    blockstore: components.blockstore,
    links: new DefaultLinks({ ...components, read: (cid, options) => fs.cat(cid, options) }),
    codecs,
    writers: deterministic ? allCodecs({ deterministic }) : codecs,
    inFlightBytes,
    fetch: fetchSettings(init.fetch),
    routing: components.routing
  })

  return fs
}

export { DEFAULT_FETCH_AHEAD, DEFAULT_FETCH_BYTES, DEFAULT_FETCH_TIMEOUT, DEFAULT_FRAME_SIZE, DEFAULT_IN_FLIGHT_BYTES, DEFAULT_STALL_TIMEOUT, MIN_FRAME_SIZE } from './constants.ts'
export * from './errors.ts'
export { frameConcurrency } from './frame.ts'
export { checkBlock, checkHash, isIdentity } from './hashes.ts'
export { decodeBlock } from './dag/node-links.ts'
export { codecName, isMarked, mark, markerCodecs, MARKERS, TREE_CODE, unmark } from './marker.ts'
export type { NodeLinks } from './dag/node-links.ts'
export type { Optimize } from './auto-candidates.ts'
export type { CompressionOptions } from './compression.ts'
export type { AddFrameEvents, CatFrameEvents, DecidedProgress, FetchedBlockProgress, FetchEvents, FetchRetryProgress, FrameProgress, LinkEvents, LinkProgress, VerifyFileEvents, VerifyProgress } from './events.ts'
export type { ProviderRouting } from './fetch/fetch-scope.ts'
export type { FetchInit } from './fetch/init.ts'
export type { AddLinkOptions, Link, LinkDatastore, LinkOptions, Links, PruneOptions } from './links.ts'
export type * from './unixfs.ts'
export type { VerifyEvents, VerifyOptions, VerifyReport } from './verification.ts'
