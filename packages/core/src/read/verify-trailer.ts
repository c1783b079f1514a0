import { equals } from 'multiformats/bytes'
import { MAX_LEAF_SIZE } from '../constants.ts'
import { fileSize, readRange } from '../dag/read.ts'
import { InvalidTrailerError } from '../errors.ts'
import { framesInGroup, GROUP_FRAMES } from '../format/frame-groups.ts'
import { frameCount } from '../format/frame-sizes.ts'
import { hasBase } from '../format/header.ts'
import { REGION_TABLE, regionTableHead } from '../format/region-table.ts'
import { SEEK_TABLE, seekTableEnds } from '../format/seek-table.ts'
import { encodeSplitTable, hasSplitTable, SPLIT_TABLES } from '../format/split-table.ts'
import { encodeBaseHead, encodeTrailer } from '../format/trailer.ts'
import { codecName } from '../codec-names.ts'
import { ByteReader } from '../util/byte-reader.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadOptions } from '../dag/read.ts'
import type { SkippingCodec } from '@ipfsz/codecs/skipped'
import type { Header } from '../format/header.ts'

interface StoredFile {
  node: FileNode
  header: Header
}

/**
 * Check the bytes after the frames of a compressed file. Reading its content does not touch them: if their blocks were
 * missing, nobody would notice, and a file that links to this one could never be fetched completely.
 *
 * @throws {InvalidTrailerError}
 * @throws {NotFoundError} a block is missing
 */
export async function verifyTrailer (file: StoredFile, blockstore: GetStore, options: ReadOptions): Promise<void> {
  const { node, header } = file

  checkTrailerLength(file)

  const range = { start: framesLength(header), end: fileSize(node) - baseSize(file) }
  const trailer = readRange(node, range, blockstore, options)
  const reader = new ByteReader(trailer, options.signal)

  try {
    await checkTrailer(file, reader)
  } finally {
    reader.close()
  }
}

/** Check how long it is, if the header says that: of a file with groups, the header was read with it. */
export function checkTrailerLength (file: StoredFile): void {
  const { node, header } = file
  const expected = trailerOf(file)?.byteLength
  const length = fileSize(node) - baseSize(file) - framesLength(header)

  if (expected != null && length !== expected) {
    throw new InvalidTrailerError(node.cid, `it should have ${expected} bytes, but has ${length}`)
  }
}

/** @param reader - at the end of the frames. Each of its chunks may last only until the next one is requested */
export async function checkTrailer (file: StoredFile, reader: ByteReader): Promise<void> {
  const trailer = trailerOf(file)
  const codec = codecName(file.header.codec) ?? ''

  if (trailer == null && hasSplitTable(codec)) {
    await checkSplitTable(file, codec, reader)
  } else if (trailer == null) {
    await checkTable(file, reader)
  } else if (!equals(trailer, await take(reader, trailer.byteLength))) {
    throw new InvalidTrailerError(file.node.cid, 'it differs from the header')
  }

  // read to the end: empty blocks may follow
  await reader.read(1)
}

/** Compare what is around the entries of a table: those are compared with the header when they are read. */
async function checkTable (file: StoredFile, reader: ByteReader): Promise<void> {
  const frames = frameCount(file.header)
  const { head, foot, entryLength } = hasBase(file.header)
    ? { head: regionTableHead(frames), foot: encodeBaseHead(baseSize(file)), ...REGION_TABLE }
    : { ...seekTableEnds(frames), ...SEEK_TABLE }
  const start = await take(reader, head.byteLength)

  for (let at = 0; at < frames * entryLength; at += MAX_LEAF_SIZE) {
    await take(reader, Math.min(MAX_LEAF_SIZE, frames * entryLength - at))
  }

  if (!equals(head, start) || !equals(foot, await take(reader, foot.byteLength))) {
    throw new InvalidTrailerError(file.node.cid, 'the beginning or end of its table does not match its frames')
  }
}

/** The same with a table of which each part has a beginning and an end. */
async function checkSplitTable ({ node, header }: StoredFile, codec: SkippingCodec, reader: ByteReader): Promise<void> {
  const frames = frameCount(header)
  const { headerLength, entryLength, footerLength } = SPLIT_TABLES[codec]

  for (let group = 0; group * GROUP_FRAMES < frames; group++) {
    const end = headerLength + framesInGroup(frames, group) * entryLength
    const part = await take(reader, end + footerLength)

    if (!equals(encodeSplitTable(codec, part.subarray(headerLength, end)), part)) {
      throw new InvalidTrailerError(node.cid, `part ${group} of its table does not match its frames`)
    }
  }
}

/** The next bytes, fewer at the end, in memory of their own. */
async function take (reader: ByteReader, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)

  return bytes.subarray(0, await reader.readInto(bytes))
}

/** Undefined if the frames are in groups: it may be large. */
function trailerOf (file: StoredFile): Uint8Array | undefined {
  const { header } = file

  return header.table == null
    ? encodeTrailer(codecName(header.codec) ?? '', header, hasBase(header) ? baseSize(file) : undefined)
    : undefined
}

/** Bytes of the base as it is stored, which is below the last link. */
function baseSize ({ node, header }: StoredFile): number {
  return hasBase(header) ? Number(node.unixfs.blockSizes.at(-1)) : 0
}

function framesLength ({ frameLengths, table }: Header): number {
  const lengths = table == null ? frameLengths : table.groups.map(({ length }) => length)

  return lengths.reduce((total, length) => total + length, 0)
}
