// Room: whole small files, encoded and decoded at once, on the calling thread.
import { seal } from '@ipfsz/codecs/sealed'
import { MAX_INLINE_SIZE, MAX_LEAF_SIZE } from '../constants.ts'
import { encodeFileBlock } from '../dag/file-block.ts'
import { LAYOUT_HEAD_SIZE } from '../policy/layout.ts'
import { maxOneFrame } from '../policy/compression.ts'
import { decideNow } from '../policy/decide-now.ts'
import { DAG_PB, encodeBlock, RAW } from './encoded-file.ts'
import type { Allocate } from '@ipfsz/utils/bytes'
import type { Metadata } from '../dag/file-block.ts'
import type { Header } from '../format/header.ts'
import type { Compression } from '../policy/compression.ts'
import type { Findings } from '../policy/decide-now.ts'
import type { EncodedFile } from './encoded-file.ts'

/** With the frame, of which the root may have a copy. */
export interface EncodedWithFrame extends EncodedFile {
  frame?: Uint8Array
}

type Encoded = Omit<EncodedWithFrame, 'size' | 'codec' | 'reason'>

/** The most bytes of a file: its frame, or all of it, fits into one block. */
export const MAX_ENCODED_SIZE = MAX_LEAF_SIZE - 1

/** How files are encoded, as for all other ways to add them. */
export interface EncodeOptions {
  compression: Compression | undefined
  /** Whether a file that is not compressed becomes one raw block. */
  isPlainRaw: boolean
  /** Gives the memory of frames and blocks. */
  allocate?: Allocate | undefined
}

/** Whether files without a dictionary can be compressed at once with these options, unless one itself is against it. */
export function canEncode ({ baseOf, named }: Compression): boolean {
  return baseOf == null && named != null
}

/**
 * Encode a whole file: the same blocks as those of `fs.addAll` with the same options.
 *
 * @param findings - of `lookAt`, if the file is not text
 * @returns undefined if it needs findings, is too large, or this thread cannot do it at once
 */
export function encodeFile (
  bytes: Uint8Array,
  metadata: Metadata,
  { compression, isPlainRaw, allocate }: EncodeOptions,
  findings?: Findings
): EncodedWithFrame | undefined {
  const { byteLength: size } = bytes

  if (size > MAX_ENCODED_SIZE) {
    return undefined
  }

  const layout = compression?.layoutOf(bytes.subarray(0, LAYOUT_HEAD_SIZE))
  const decision = compression == null
    ? { reason: 'options' as const }
    : decideNow(bytes, compression, findings, allocate)

  if (decision == null || (compression != null && layout != null && size > maxOneFrame(compression, layout))) {
    return undefined
  }

  const { choice, trial, filters = [], reason } = decision

  if (choice == null || trial == null || layout == null) {
    const plain = isPlainRaw ? encodePlain(bytes, metadata) : undefined

    return plain && { ...plain, size, codec: 'none', reason }
  }

  const { name: codec, code } = choice.codec
  // filtered bytes are not the original, so no decoder of the codec is to take them for it
  const frame = filters.length === 0 ? trial.bytes : seal(codec, trial.bytes)
  const header = { codec: code, size, frameSize: layout.frameSize, frameLengths: [frame.byteLength] }
  const described = filters.length === 0 ? header : { ...header, filters }
  const encoded = encodeFrame(frame, described, metadata, allocate)

  return encoded && { ...encoded, ...filters.length === 0 ? {} : { onlyIpfsz: true }, size, codec, reason }
}

/** A file that is not compressed, as ipfs-unixfs-importer makes it: with metadata, it stores the bytes twice. */
function encodePlain (bytes: Uint8Array, metadata: Metadata): Encoded | undefined {
  const leaf = encodeBlock(RAW, bytes)
  const hasMetadata = metadata.mode !== undefined || metadata.mtime !== undefined

  if (leaf == null || !hasMetadata) {
    return leaf && { cid: leaf.cid, blocks: [leaf], dagSize: bytes.byteLength }
  }

  const root = encodeBlock(DAG_PB, encodeFileBlock({ inline: bytes }, metadata))

  return root && { cid: root.cid, blocks: [leaf, root], dagSize: root.bytes.byteLength }
}

/** A file of one frame: in the root, or in a leaf. The header lists it, so no table comes after it. */
function encodeFrame (
  frame: Uint8Array,
  header: Header,
  metadata: Metadata,
  allocate: Allocate | undefined
): Encoded | undefined {
  const { byteLength: frameLength } = frame

  // it does not shrink: the ordinary way splits it
  if (frameLength > MAX_LEAF_SIZE) {
    return undefined
  }

  const leaf = frameLength <= MAX_INLINE_SIZE ? undefined : encodeBlock(RAW, frame)
  const links = leaf == null
    ? []
    : [{ cid: { bytes: leaf.cid }, size: frameLength, dagSize: frameLength }]
  const inline = leaf == null ? frame : undefined
  const root = encodeBlock(DAG_PB, encodeFileBlock({ links, inline, header }, metadata, allocate))

  return root && {
    cid: root.cid,
    marker: header.codec,
    blocks: leaf == null ? [root] : [leaf, root],
    dagSize: root.bytes.byteLength + (leaf == null ? 0 : frameLength),
    frameLength,
    frame
  }
}
