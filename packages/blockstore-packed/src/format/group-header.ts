import { crc32 } from 'node:zlib'
import { KEY_SIZE } from './key.ts'
import type { Key } from './key.ts'

const SKIPPABLE = 0x184d2a51
const HIGH_BIT = 0x80000000
const ID_SIZE = 16
/** Bytes before the table of frames: those of a skippable frame, and numbers. */
export const GROUP_PREFIX = 8 + 52
export const FRAME_ROW = 8
export const BLOCK_ROW = 14
const DELETION_ROW = ID_SIZE + 12 + KEY_SIZE
/** Bytes of a header at most: more is no header of ours. */
const MAX_HEADER = 64 * 1024 * 1024

export const GROUP = 1
export const SEAL = 2

/** What is known of a group without its tables. */
export interface GroupHeader {
  /** Bytes of the header. */
  size: number
  offset: number
  synced: number
  dataLength: number
  dataCrc: number
  kind: number
  frames: number
  blocks: number
  deletions: number
}

export interface Deletion {
  pack: string
  frame: number
  start: number
  key: Key
}

export interface GroupBlock {
  /** Offset of the frame in the pack. */
  frame: number
  stored: number
  raw: boolean
  /** Bytes of the decompressed frame. */
  original: number
  start: number
  length: number
  cid: Uint8Array
}

export interface GroupTables {
  frames: number
  blocks: number
  /** Rows of frames, then of blocks. */
  table: Uint8Array
}

/** Of a group that holds deletions, or nothing. */
export const NO_BLOCKS = { frames: 0, blocks: 0, table: new Uint8Array(0), data: new Uint8Array(0), crc: 0 }

/** The header of a seal, which ends a pack. */
export function encodeSeal (id: string, offset: number): Buffer {
  return encodeGroupHeader(id, { offset, synced: offset, dataLength: 0, dataCrc: 0, kind: SEAL }, NO_BLOCKS, [])
}

export function encodeGroupHeader (
  id: string,
  { offset, synced, dataLength, dataCrc, kind }: Omit<GroupHeader, 'size' | 'frames' | 'blocks' | 'deletions'>,
  { frames, blocks, table }: GroupTables,
  deletions: readonly Deletion[]
): Buffer {
  const bytes = Buffer.allocUnsafe(GROUP_PREFIX + table.byteLength + deletions.length * DELETION_ROW)
  bytes.writeUInt32LE(SKIPPABLE, 0)
  bytes.writeUInt32LE(bytes.byteLength - 8, 4)
  bytes.write(id, 12, 'hex')
  const numbers = [offset, synced, dataLength, dataCrc, kind, frames, blocks, deletions.length]
  numbers.forEach((number, i) => bytes.writeUInt32LE(number, 28 + i * 4))
  bytes.set(table, GROUP_PREFIX)
  let at = GROUP_PREFIX + table.byteLength

  for (const { pack, frame, start, key } of deletions) {
    bytes.write(pack, at, 'hex')
    bytes.writeUInt32LE(frame, at + 16)
    bytes.writeUInt32LE(start, at + 20)
    bytes.set(key.bytes, at + 24)
    bytes.writeUInt32LE(key.kind, at + 24 + KEY_SIZE)
    at += DELETION_ROW
  }

  bytes.writeUInt32LE(crc32(bytes.subarray(12)), 8)

  return bytes
}

/** The size of a header that may begin here: undefined if none does. Its checksum is not looked at. */
export function groupHeaderSize (bytes: Buffer, at: number, id: string, offset: number): number | undefined {
  if (at + GROUP_PREFIX > bytes.byteLength || bytes.readUInt32LE(at) !== SKIPPABLE) {
    return undefined
  }

  const size = bytes.readUInt32LE(at + 4) + 8
  const isOurs = bytes.toString('hex', at + 12, at + 28) === id && bytes.readUInt32LE(at + 28) === offset

  return isOurs && size >= GROUP_PREFIX && size <= MAX_HEADER ? size : undefined
}

/** @param bytes - as many as `groupHeaderSize` says. @returns undefined if they are damaged */
export function decodeGroupHeader (bytes: Buffer): GroupHeader | undefined {
  if (crc32(bytes.subarray(12)) !== bytes.readUInt32LE(8)) {
    return undefined
  }

  const [offset, synced, dataLength, dataCrc, kind, frames, blocks, deletions] =
    Array.from({ length: 8 }, (_, i) => bytes.readUInt32LE(28 + i * 4))
  const least = GROUP_PREFIX + frames * FRAME_ROW + blocks * BLOCK_ROW + deletions * DELETION_ROW

  // a checksum keeps no one from writing nonsense
  return least > bytes.byteLength || synced > offset || (kind !== GROUP && kind !== SEAL)
    ? undefined
    : { size: bytes.byteLength, offset, synced, dataLength, dataCrc, kind, frames, blocks, deletions }
}

/** The frames of a group: offset in the pack, stored and original size. */
export function * framesOf (bytes: Buffer, header: GroupHeader): Generator<
  { offset: number, stored: number, original: number, raw: boolean }
> {
  let offset = header.offset + header.size
  const end = offset + header.dataLength

  for (let i = 0; i < header.frames && offset < end; i++) {
    const stored = bytes.readUInt32LE(GROUP_PREFIX + i * FRAME_ROW)
    const size = stored & ~HIGH_BIT

    const original = bytes.readUInt32LE(GROUP_PREFIX + i * FRAME_ROW + 4)

    yield { offset, stored: size, original, raw: stored >= HIGH_BIT }
    offset += size
  }
}

/** The blocks of a group. Ends early where the table is nonsense. */
export function * blocksOf (bytes: Buffer, header: GroupHeader): Generator<GroupBlock> {
  const frames = Array.from(framesOf(bytes, header))
  const end = bytes.byteLength - header.deletions * DELETION_ROW
  let at = GROUP_PREFIX + header.frames * FRAME_ROW

  for (let i = 0; i < header.blocks && at + BLOCK_ROW <= end; i++) {
    const frame = frames[bytes.readUInt32LE(at)]
    const cidEnd = at + BLOCK_ROW + bytes.readUInt16LE(at + 12)

    if (frame == null || cidEnd > end) {
      return
    }

    yield {
      frame: frame.offset,
      stored: frame.stored,
      raw: frame.raw,
      original: frame.original,
      start: bytes.readUInt32LE(at + 4),
      length: bytes.readUInt32LE(at + 8),
      cid: bytes.subarray(at + BLOCK_ROW, cidEnd)
    }
    at = cidEnd
  }
}

export function * deletionsOf (bytes: Buffer, { deletions }: GroupHeader): Generator<Deletion> {
  for (let at = bytes.byteLength - deletions * DELETION_ROW; at < bytes.byteLength; at += DELETION_ROW) {
    yield {
      pack: bytes.toString('hex', at, at + ID_SIZE),
      frame: bytes.readUInt32LE(at + 16),
      start: bytes.readUInt32LE(at + 20),
      key: { bytes: bytes.subarray(at + 24, at + 24 + KEY_SIZE), kind: bytes.readUInt32LE(at + 24 + KEY_SIZE) & 1 }
    }
  }
}
