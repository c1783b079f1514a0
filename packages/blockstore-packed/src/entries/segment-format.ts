import { crc32 } from 'node:zlib'
import { ENTRY_SIZE, prefixOf } from '../format/entry.ts'

const MAGIC = Buffer.from('IPFSzIx2')
export const SEGMENT_HEADER = MAGIC
export const PAGE_ENTRIES = 312
/** Bytes of a full page: entries, and their CRC-32. */
export const PAGE_SIZE = PAGE_ENTRIES * ENTRY_SIZE + 4
export const PRINT_SIZE = 2
export const PAGE_PRINTS = 8190
/** Bytes of a full page of prints, with their CRC-32. */
export const PRINT_PAGE_SIZE = PAGE_PRINTS * PRINT_SIZE + 4
/** CRC-32 of the tables, packs, entries, bits of the fanout, magic. */
export const FOOTER_SIZE = 4 + 12 + 8
const PACK_ROW = 28
/** Fanouts have a value for 256 entries, and 65,536 values at most. */
const BUCKET = 256
const MAX_BITS = 16

export interface CoveredPack {
  id: string
  /** Bytes of the pack whose blocks are in the index. 0 if the pack is only named by deletions. */
  covered: number
  /** Bytes of all its blocks, also of those that are deleted. */
  bytes: number
}

/** What an index file says of itself. */
export interface SegmentTables {
  packs: CoveredPack[]
  entries: number
  bits: number
  fanout: Uint32Array
}

export function bitsFor (entries: number): number {
  return Math.min(MAX_BITS, Math.max(0, Math.ceil(Math.log2(entries / BUCKET))))
}

export function bucketOf (key: Uint8Array, bits: number): number {
  return bits === 0 ? 0 : (key[0] << 8 | key[1]) >>> 16 - bits
}

/** The 16 bits of a key after those that choose its bucket: they are in order within it. */
export function printOf (key: Uint8Array, bits: number): number {
  return prefixOf(key, 0) << bits >>> 16
}

export function sizeOfPrints (entries: number): number {
  return entries * PRINT_SIZE + Math.ceil(entries / PAGE_PRINTS) * 4
}

export function sizeOfPages (entries: number): number {
  return entries * ENTRY_SIZE + Math.ceil(entries / PAGE_ENTRIES) * 4
}

/** What follows the pages and prints: packs, fanout, footer. */
export function encodeTables ({ packs, entries, bits, fanout }: SegmentTables): Buffer {
  const bytes = Buffer.alloc(packs.length * PACK_ROW + fanout.length * 4 + FOOTER_SIZE)
  let at = 0

  for (const { id, covered, bytes: total } of packs) {
    bytes.write(id, at, 'hex')
    bytes.writeUInt32LE(covered, at + 16)
    bytes.writeDoubleLE(total, at + 20)
    at += PACK_ROW
  }

  for (const count of fanout) {
    bytes.writeUInt32LE(count, at)
    at += 4
  }

  bytes.writeUInt32LE(packs.length, at + 4)
  bytes.writeUInt32LE(entries, at + 8)
  bytes.writeUInt32LE(bits, at + 12)
  MAGIC.copy(bytes, at + 16)
  bytes.writeUInt32LE(crcOf(bytes, at), at)

  return bytes
}

/** How many bytes the tables have, with the footer, if it is one and agrees with the size of the file. */
export function sizeOfTables (footer: Buffer, fileSize: number): number | undefined {
  const [packs, entries, bits] = [footer.readUInt32LE(4), footer.readUInt32LE(8), footer.readUInt32LE(12)]

  if (!footer.subarray(16).equals(MAGIC) || bits > MAX_BITS) {
    return undefined
  }

  const size = packs * PACK_ROW + 2 ** bits * 4 + FOOTER_SIZE

  return MAGIC.byteLength + sizeOfPages(entries) + sizeOfPrints(entries) + size === fileSize ? size : undefined
}

/** @returns undefined if they are damaged */
export function decodeTables (bytes: Buffer): SegmentTables | undefined {
  const end = bytes.byteLength - FOOTER_SIZE

  if (crcOf(bytes, end) !== bytes.readUInt32LE(end)) {
    return undefined
  }

  const count = bytes.readUInt32LE(end + 4)
  const entries = bytes.readUInt32LE(end + 8)
  const bits = bytes.readUInt32LE(end + 12)
  const packs = Array.from({ length: count }, (_, i) => ({
    id: bytes.toString('hex', i * PACK_ROW, i * PACK_ROW + 16),
    covered: bytes.readUInt32LE(i * PACK_ROW + 16),
    bytes: bytes.readDoubleLE(i * PACK_ROW + 20)
  }))
  const fanout = Uint32Array.from({ length: 2 ** bits }, (_, i) => bytes.readUInt32LE(count * PACK_ROW + i * 4))
  const isSorted = fanout.every((value, i) => value <= entries && (i === 0 || value >= fanout[i - 1]))

  return isSorted ? { packs, entries, bits, fanout } : undefined
}

function crcOf (bytes: Buffer, footer: number): number {
  return crc32(bytes.subarray(footer + 4), crc32(bytes.subarray(0, footer)))
}
