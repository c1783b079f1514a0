/**
 * @packageDocumentation
 *
 * UnixFS for Helia that stores files in compressed form. The API mirrors `@helia/unixfs`.
 * Adding returns a marked CID, which says how the file is compressed; reading that
 * CID returns the original bytes. The blocks are ordinary UnixFS: every IPFS node can
 * pin, provide and serve them under the CID's plain twin.
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
 * @example Choose the compression, show the ratio, share the plain CID
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

export {
  DEFAULT_FETCH_AHEAD,
  DEFAULT_FETCH_BYTES,
  DEFAULT_FETCH_TIMEOUT,
  DEFAULT_FRAME_SIZE,
  DEFAULT_IN_FLIGHT_BYTES,
  DEFAULT_STALL_TIMEOUT,
  MIN_FRAME_SIZE,
  PEER_STALL_TIMEOUT,
  SILENT_PEER_TIMEOUT,
  STALL_CHECK_INTERVAL
} from './constants.ts'
export { ipfsz } from './create-ipfsz.ts'
export * from './errors.ts'
export { readableWith } from './read/readable-with.ts'
export { describeLink } from './commands/ls.ts'
export { frameConcurrency } from './frames/frame-concurrency.ts'
export { isDamage } from './dag/damage.ts'
export { checkBlock, checkHash, isIdentity } from './dag/hashes.ts'
export { storedModeOf } from './dag/ipfs-unixfs-internals.ts'
export { listDirectory, locateEntry } from './directory/directory.ts'
export { shardLinks } from './directory/shards.ts'
export { documentLinks, isDocument } from './documents/document-tokens.ts'
export { followDocument } from './documents/follow-document.ts'
export { heliaSource } from './fetch/helia-source.ts'
export { isRefusal } from './fetch/source.ts'
export { StallDetector } from './fetch/stall-detector.ts'
export { DagMeter } from './read/dag-meter.ts'
export { withIpfsz } from './helia/with-ipfsz.ts'
export { copyLinks } from './links/copy-links.ts'
export { codecName } from './codec-names.ts'
export { isMarked, mark, markerCodecs, MARKERS, TREE_CODE, unmark } from './marker.ts'
export { WrappedBlockstore } from './util/wrapped-blockstore.ts'
export type { Ipfsz, IpfszComponents, IpfszInit, IpfszReader } from './contract.ts'
export type { FilePart } from './dag/block.ts'
export type { DirectoryLink, EntryLocation } from './directory/directory.ts'
export type { CodeOf, MarkerCode, MarkerName } from './marker.ts'
export type { Optimize } from './policy/auto-candidates.ts'
export { sketchOf, SKETCHED_SIZE } from './base/sketch.ts'
export type { BaseOf, BaseOfBase } from './policy/base-option.ts'
export type { CompressionOptions } from './policy/compression-options.ts'
export type {
  AddFrameEvents,
  CatFrameEvents,
  DecidedProgress,
  FetchedBlockProgress,
  FetchEvents,
  FetchRetryProgress,
  FrameProgress,
  LinkEvents,
  LinkInsteadProgress,
  LinkProgress,
  ReferredFile,
  RepeatedProgress,
  VerifyFileEvents,
  VerifyProgress
} from './events.ts'
export type { BlocksBelow, BlocksOptions } from './fetch/blocks-below.ts'
export type { ProviderRouting } from './fetch/fetch-scope.ts'
export type { FetchInit } from './fetch/init.ts'
export type { BlockSource, SourceBlock, SourceOptions } from './fetch/source.ts'
export type { StallDetectorInit } from './fetch/stall-detector.ts'
export type { LinkOutcome } from './links/copy-links.ts'
export type { AddLinkOptions, Link, LinkDatastore, LinkOptions, Links, PruneOptions } from './links/links.ts'
export type { Measured } from './read/block-counter.ts'
export type { DagMeterInit, MeasureOptions } from './read/dag-meter.ts'
export type { DagTotals } from './read/dag-totals.ts'
export type { SeenBlocks } from './dag/seen-blocks.ts'
export type * from './file-handle.ts'
export type * from './unixfs.ts'
export type { VerifyEvents, VerifyOptions, VerifyReport } from './verification.ts'
