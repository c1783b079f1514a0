// Room: blocks to the bytes of a group: which are compressed, and how.
import { promisify } from 'node:util'
import { constants, crc32, zstdCompress, zstdCompressSync } from 'node:zlib'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { zstdCompressKept } from '@ipfsz/utils/zstd-kept'
import { DEFAULT_LEVEL, FRAME_SIZE, MAX_BLOCK_SIZE } from '../constants.ts'
import { BlockTooLargeError } from '../errors.ts'
import { sectionHead } from '../format/car.ts'
import { BLOCK_ROW, FRAME_ROW } from '../format/group-header.ts'
import { rawFrameSize, writeRawFrame } from '../format/raw-frame.ts'
import { looksCompressed } from './looks-compressed.ts'
import type { GroupTables } from '../format/group-header.ts'
import type { CID } from 'multiformats/cid'
import type { ZstdOptions } from 'node:zlib'

/** A frame is compressed if that saves a twentieth. */
const MAX_RATIO = 0.95
/** Bytes of a CID at most: their number is stored in two. */
const MAX_CID = 65_535

export interface PlainBlock {
  cid: CID
  bytes: Uint8Array
}

/** Blocks as a pack stores them: what `putEncoded` appends. Can be sent from one thread to another. */
export interface EncodedBlocks extends GroupTables {
  /** The frames, one after the other. */
  data: Uint8Array
  /** CRC-32 of `data`. */
  crc: number
  /** What the blocks link to, as packs of a store that nodes share say it: walks need not read the blocks. */
  links?: Uint8Array | undefined
}

export interface EncodeOptions {
  /**
   * The compression level of zstd, 1 to 19.
   *
   * @default 3
   */
  level?: number | undefined
  /**
   * Memory for `data`, where that fits: it may be shared with other threads. By default, `data` has memory of its own.
   */
  memory?: Uint8Array | undefined
}

interface Frame {
  parts: Uint8Array[]
  size: number
}

interface Plan {
  plain: Frame[]
  raw: Frame[]
  rows: Row[]
}

interface Row {
  frame: Frame
  start: number
  length: number
  cid: Uint8Array
}

/** Makes a compressed frame of a frame's content. */
export type Compress = (content: Uint8Array, level: number) => Uint8Array | Promise<Uint8Array>

const inPool = promisify(zstdCompress as (bytes: Uint8Array, options: ZstdOptions, done: (
  err: Error | null, frame: Buffer) => void) => void)

/** Compress in Node's thread pool. */
export const compressInPool: Compress = async (content, level) => inPool(content, optionsOf(level, content.byteLength))

/**
 * Compress blocks together, synchronously: for worker threads, which send the result to the thread that has the store.
 * Give it some megabytes of blocks at a time: 8,192 blocks at most.
 *
 * @throws {BlockTooLargeError}
 */
export function encodeBlocks (
  blocks: Iterable<PlainBlock>,
  { level = DEFAULT_LEVEL, memory }: EncodeOptions = {}
): EncodedBlocks {
  const { plain, raw, rows } = plan(blocks)
  const compressed = plain.map(({ parts, size }) => {
    const content = join(parts, size)
    const frame = compressHere(content, level)
    freeBytes(content)

    return frame
  })
  const encoded = assemble({ plain, raw, rows }, compressed, memory)
  // as garbage, the bytes of ten groups would be there together
  compressed.forEach(freeBytes)

  return encoded
}

/** The same with a function that may compress in another thread. */
export async function encodeWith (
  compress: Compress,
  level: number,
  blocks: Iterable<PlainBlock>
): Promise<EncodedBlocks> {
  const { plain, raw, rows } = plan(blocks)
  const compressed = await Promise.all(plain.map(async ({ parts, size }) => compress(join(parts, size), level)))

  return assemble({ plain, raw, rows }, compressed)
}

/** Give each block a frame: one for what is compressed already, one for the rest, until each is full. */
function plan (blocks: Iterable<PlainBlock>): Plan {
  const plain: Frame[] = []
  const raw: Frame[] = []
  const rows: Row[] = []

  for (const { cid, bytes } of blocks) {
    if (bytes.byteLength > MAX_BLOCK_SIZE || cid.bytes.byteLength > MAX_CID) {
      throw new BlockTooLargeError(Math.max(bytes.byteLength, cid.bytes.byteLength), MAX_BLOCK_SIZE)
    }

    const frames = looksCompressed(bytes) ? raw : plain
    let frame = frames.at(-1)

    // a large block has a frame of its own: to read a small one beside it would take as long
    if (frame == null || frame.size >= FRAME_SIZE || bytes.byteLength >= FRAME_SIZE) {
      frame = { parts: [], size: 0 }
      frames.push(frame)
    }

    const head = sectionHead(cid.bytes, bytes.byteLength)
    rows.push({ frame, start: frame.size + head.byteLength, length: bytes.byteLength, cid: cid.bytes })
    frame.parts.push(head, bytes)
    frame.size += head.byteLength + bytes.byteLength
  }

  return { plain, raw, rows }
}

function assemble ({ plain, raw, rows }: Plan, compressed: Uint8Array[], memory?: Uint8Array): EncodedBlocks {
  const frames = [...plain, ...raw]
  const shrunk = new Map(plain.flatMap((frame, i) => {
    const isSmaller = compressed[i].byteLength < rawFrameSize(frame.size) * MAX_RATIO

    return isSmaller ? [[frame, compressed[i]] as const] : []
  }))
  const sizes = frames.map(frame => shrunk.get(frame)?.byteLength ?? rawFrameSize(frame.size))
  const size = sizes.reduce((sum, size) => sum + size, 0)
  const data = memory == null || memory.byteLength < size
    ? Buffer.allocUnsafeSlow(size)
    : Buffer.from(memory.buffer, memory.byteOffset, size)
  const cids = rows.reduce((sum, { cid }) => sum + cid.byteLength, 0)
  const table = Buffer.allocUnsafeSlow(frames.length * FRAME_ROW + rows.length * BLOCK_ROW + cids)
  const numbers = new Map<Frame, number>()
  let at = 0

  for (const [i, frame] of frames.entries()) {
    const bytes = shrunk.get(frame)
    numbers.set(frame, i)
    table.writeUInt32LE((sizes[i] | (bytes == null ? 0x80000000 : 0)) >>> 0, i * FRAME_ROW)
    table.writeUInt32LE(frame.size, i * FRAME_ROW + 4)

    if (bytes == null) {
      writeRawFrame(data, at, frame.parts, frame.size)
    } else {
      data.set(bytes, at)
    }

    at += sizes[i]
  }

  writeRows(table, frames.length * FRAME_ROW, rows, numbers)

  return { frames: frames.length, blocks: rows.length, table, data, crc: crc32(data) }
}

function writeRows (table: Buffer, start: number, rows: readonly Row[], numbers: ReadonlyMap<Frame, number>): void {
  let at = start

  for (const { frame, start: offset, length, cid } of rows) {
    table.writeUInt32LE(numbers.get(frame) ?? 0, at)
    table.writeUInt32LE(offset, at + 4)
    table.writeUInt32LE(length, at + 8)
    table.writeUInt16LE(cid.byteLength, at + 12)
    table.set(cid, at + BLOCK_ROW)
    at += BLOCK_ROW + cid.byteLength
  }
}

function join (parts: Uint8Array[], size: number): Uint8Array {
  return Buffer.concat(parts, size)
}

/** In a context that is kept: memory for the tables of a new one, 1.3 MB, is filled with zeros by the system. */
function compressHere (content: Uint8Array, level: number): Uint8Array {
  return zstdCompressKept(content, level, { hasChecksum: true }) ??
    zstdCompressSync(content, optionsOf(level, content.byteLength))
}

function optionsOf (level: number, size: number): ZstdOptions {
  return {
    pledgedSrcSize: size,
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }
  }
}
