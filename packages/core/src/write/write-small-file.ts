import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { putBlock } from '../dag/write.ts'
import { emit } from '../events.ts'
import { emitFrame } from '../frames/compress-frames.ts'
import { canEncode, encodeFile } from '../small/encode-file.ts'
import { makesOneBlock, reportOneBlock } from './plain-file.ts'
import type { PutStore } from '../dag/block.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { WriteOptions } from '../dag/write.ts'
import type { AddFrameEvents } from '../events.ts'
import type { Compression } from '../policy/compression.ts'
import type { EncodedWithFrame } from '../small/encode-file.ts'
import type { BuiltFile, FileEntry } from './plain-file.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { ProgressOptions } from 'progress-events'

/** Fewer bytes, below 16 KiB, are encoded at once: more are compressed sooner on other threads. */
export const MAX_SIZE_AT_ONCE = 16 * 1024

interface WriteSmallFileOptions extends WriteOptions, ProgressOptions<AddFrameEvents> {
  compression?: Compression
  importer: ImporterOptions
  /** Set if files are linked to the CIDs that they have uncompressed. */
  links?: object | undefined
  onCompressed (cid: CID, code: number, onlyIpfsz: boolean): void
}

/**
 * Write a small file without the steps that large ones go through: no promise but for storing its blocks. Most files of
 * a tree are small.
 *
 * @param bytes - all of it
 * @returns undefined if these options, or this file, need those steps
 */
export function writeSmallFile (
  bytes: Uint8Array,
  file: FileEntry,
  blockstore: PutStore,
  options: WriteSmallFileOptions
): Promise<BuiltFile> | undefined {
  const { compression, importer, links } = options

  if (compression == null || links != null || !canEncode(compression)) {
    return undefined
  }

  const encoded = encodeFile(bytes, file, { compression, isPlainRaw: makesOneBlock(file, importer) })

  return encoded && putFile(encoded, file, blockstore, options)
}

/** Write a file that was encoded at once. */
export async function putFile (
  { dictionary, ...encoded }: EncodedWithFrame & { dictionary?: FileLink | undefined },
  { path, originalPath, mode, mtime }: FileEntry,
  blockstore: PutStore,
  options: WriteSmallFileOptions
): Promise<BuiltFile> {
  const { blocks, marker, frame, codec, reason } = encoded
  const cids = blocks.map(({ cid }) => CID.decode(cid))
  const cid = cids[cids.length - 1]
  const size = BigInt(encoded.dagSize)
  const referred = dictionary && { dictionary: { cid: dictionary.cid, size: dictionary.dagSize } }
  emit(options, 'ipfsz:add:decided', { path, codec, reason, ...referred })

  if (frame != null) {
    emitFrame(options, 0, { size: encoded.size, bytes: frame })
  }

  const puts = blocks.map(({ bytes }, i) => putBlock(cids[i], bytes, blockstore, options))

  if (puts.length > 1) {
    // once this ends, nothing is written any more, even if one of them failed
    await Promise.allSettled(puts)
  }

  for (const put of puts) {
    await put
  }

  if (marker == null || frame == null) {
    reportOneBlock(cid, size, path, options.importer)

    return { cid, size, path, originalPath }
  }

  options.onCompressed(cid, marker, encoded.onlyIpfsz === true)
  const sizes = [blocks[0].bytes.byteLength, ...dictionary == null ? [] : [dictionary.size]]
  const content = blocks.length === 1 ? { data: frame } : { blockSizes: sizes.map(BigInt) }

  return { cid, unixfs: new UnixFS({ type: 'file', ...content, mode, mtime }), size, path, originalPath }
}
