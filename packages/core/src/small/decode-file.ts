import { unseal } from '@ipfsz/codecs/sealed'
import { plainArray } from '@ipfsz/utils/bytes'
import { CID } from 'multiformats/cid'
import { isFileBlock, readFileBlock } from '../dag/read-file-block.ts'
import { undoFilters } from '../filters/filters.ts'
import { readHeader } from '../format/read-header.ts'
import { DAG_PB, encodeBlock, RAW } from './encoded-file.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { Header } from '../format/header.ts'
import type { EncodedBlock } from './encoded-file.ts'
import type { Codec } from '@ipfsz/codecs'

/** The most original bytes of a file, 1 MiB: an only block of a plain file has no more. */
export const MAX_DECODED_SIZE = 1024 * 1024

/** The most bytes of its blocks. */
const MAX_BLOCK_SIZE = 2 * MAX_DECODED_SIZE

/** Where the code of the block is in a CIDv1. */
const CODE = 1

/** A file that was read. */
export interface DecodedFile extends Metadata {
  bytes: Uint8Array
  /** Compressed bytes of its only frame, if it is compressed. */
  frameLength?: number
}

/** How the CID that led to a file is marked: with the code of a codec, as a tree that it is in, or not at all. */
export type FileMarker = number | 'in-tree' | 'plain'

export interface DecodeOptions {
  codecs: readonly Codec[]
  marker: FileMarker
  /** Gets the block of a leaf, by the bytes of its CID. Undefined: it is not there. */
  getLeaf (cid: Uint8Array): Uint8Array | undefined
  /** Memory for the content of a compressed file. */
  memory?: Uint8Array | undefined
}

/**
 * Read a whole file of one or two blocks that `encodeFile`, or the importer of Helia, made. Every block is compared
 * with its CID, and every rule of the format is checked.
 *
 * @param cid - the plain CID of the root
 * @returns undefined for every other file, and if anything is wrong with this one: the ordinary way reads it, or says
 *   what is wrong
 */
export function decodeFile (cid: Uint8Array, root: Uint8Array, options: DecodeOptions): DecodedFile | undefined {
  if (!isBlock(cid, root)) {
    return undefined
  }

  if (cid[CODE] === RAW) {
    return typeof options.marker === 'number' ? undefined : { bytes: plainArray(root) }
  }

  try {
    return decodeRoot({ cid, bytes: plainArray(root) }, options)
  } catch {
    return undefined
  }
}

/**
 * The original bytes of a file, as the header of its root says. Nothing is decompressed.
 *
 * @returns undefined where `decodeFile` returns undefined for the root alone
 */
export function sizeOfFile (
  cid: Uint8Array,
  root: Uint8Array,
  marker: DecodeOptions['marker']
): number | undefined {
  if (!isBlock(cid, root)) {
    return undefined
  }

  if (cid[CODE] === RAW) {
    return root.byteLength
  }

  try {
    const { header, streamSize } = readRoot({ cid, bytes: plainArray(root) }, marker) ?? {}

    return marker === 'plain' ? streamSize : header?.size ?? streamSize
  } catch {
    return undefined
  }
}

interface Root {
  metadata: Metadata
  header: Header | undefined
  inline: Uint8Array | undefined
  leaf: Uint8Array | undefined
  /** Bytes as they are stored. */
  streamSize: number
}

function readRoot (root: EncodedBlock, as: FileMarker): Root | undefined {
  const read = readFileBlock(root.bytes)

  if (read == null) {
    return undefined
  }

  const { message, links, inline, mode, mtime } = read
  const metadata = { ...mode == null ? {} : { mode }, ...mtime == null ? {} : { mtime } }
  const streamSize = links[0]?.size ?? inline?.byteLength ?? 0
  const marker = typeof as === 'number' ? as : undefined
  const header = readHeader(message, { cid: CID.decode(root.cid), marker, streamSize, lastLinkSize: links[0]?.size })

  // the parts of the block are certain now: nothing was there twice, or of another kind
  return isFileBlock(root.bytes, { links, inline, header }, metadata)
    ? { metadata, header, inline, leaf: links[0]?.cid.bytes, streamSize }
    : undefined
}

function decodeRoot (root: EncodedBlock, options: DecodeOptions): DecodedFile | undefined {
  const { marker } = options
  const read = readRoot(root, marker)

  if (read == null) {
    return undefined
  }

  const { metadata, header, inline, leaf, streamSize } = read

  if (header == null) {
    return typeof marker !== 'number' && leaf == null
      ? { ...metadata, bytes: inline ?? new Uint8Array(0) }
      : undefined
  }

  if (marker === 'plain' || !hasOneFrame(header, streamSize)) {
    return undefined
  }

  const frame = leaf == null ? inline : leafOf(leaf, streamSize, options)
  const bytes = frame && decodeFrame(frame, header, options)

  return bytes && { ...metadata, bytes, frameLength: streamSize }
}

/** Whether it is a file that `encodeFile` makes: one frame, and nothing else. */
function hasOneFrame (header: Header, streamSize: number): boolean {
  const { size, frameLengths, frameSizes, table, regions, contentCid } = header

  return size <= MAX_DECODED_SIZE && frameLengths.length === 1 && frameLengths[0] === streamSize &&
    (frameSizes ?? table ?? regions ?? contentCid) == null
}

function leafOf (cid: Uint8Array, size: number, { getLeaf }: DecodeOptions): Uint8Array | undefined {
  const leaf = cid[CODE] === RAW ? getLeaf(cid) : undefined

  return leaf != null && leaf.byteLength === size && isBlock(cid, leaf) ? leaf : undefined
}

function decodeFrame (
  frame: Uint8Array,
  { codec: code, size, filters }: Header,
  { codecs, memory }: DecodeOptions
): Uint8Array | undefined {
  const codec = codecs.find(codec => codec.code === code)

  if (codec == null || filters == null) {
    return codec?.decompressSync?.(frame, size, memory)
  }

  // others may read the block that it is a part of
  const decoded = codec.decompressSync?.(unseal(codec.name, frame.slice()), size, memory)

  return decoded && undoFilters(decoded, filters)
}

/** Whether bytes are the block that a CID names, of dag-pb or raw, by its sha2-256. */
function isBlock (cid: Uint8Array, bytes: Uint8Array): boolean {
  const code = cid[CODE]
  const isKnown = bytes.byteLength <= MAX_BLOCK_SIZE && (code === RAW || code === DAG_PB)
  const block = isKnown ? encodeBlock(code, bytes) : undefined

  return block?.cid.byteLength === cid.byteLength && block.cid.every((byte, i) => byte === cid[i])
}
