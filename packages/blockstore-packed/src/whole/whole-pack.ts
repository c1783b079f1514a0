// Room: packs that are written whole, such as objects of a store that nodes share, and the index that a node keeps of
// them.
import { crc32 } from 'node:zlib'
import { MAX_PACK_ENTRIES } from '../constants.ts'
import { EntryTable } from '../entries/entry-table.ts'
import { DamagedPackError } from '../errors.ts'
import {
  BLOCK_ROW, FRAME_ROW, GROUP, GROUP_PREFIX, decodeGroupHeader, encodeGroupHeader, encodeSeal, framesOf, groupHeaderSize
} from '../format/group-header.ts'
import { keyIn } from '../format/entry.ts'
import { PACK_HEADER_FRAMES, PACK_HEADER_SIZE, encodePackHeader, isPackHeader } from '../format/pack-header.ts'
import { encodeSeekTable } from '../format/seek-table.ts'
import { addGroup } from '../pack/group-rows.ts'
import type { EncodedBlocks } from '../encode/encode-blocks.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

/** Bytes of a pack to read first: most tables end before. */
export const FIRST_READ = 256 * 1024
/** Bytes of the CIDs of a table at most, on average for each block. A table that claims more is not ours. */
const MAX_TABLE = PACK_HEADER_SIZE + GROUP_PREFIX + MAX_PACK_ENTRIES * (FRAME_ROW + BLOCK_ROW + 128)

/** The blocks of a pack. */
export interface PackTable {
  table: EntryTable
  /** Bytes of the pack from which its frames begin. */
  tableSize: number
  /** Bytes of all its blocks. */
  bytes: number
}

/** The blocks of a part of a pack. */
export interface PartPlaces {
  keys: readonly Key[]
  placeOf: (key: Key) => Row | undefined
}

/**
 * The bytes of a sealed pack of one group, as docs/packs.md describes them: its table comes first, so that whoever
 * needs to know what is in it reads only its beginning.
 *
 * @param id - 32 hexadecimal digits
 */
export function encodeWholePack (id: string, parts: readonly EncodedBlocks[]): Buffer {
  const data = parts.map(part => part.data)
  const dataLength = data.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const dataCrc = data.reduce((crc, bytes) => crc32(bytes, crc), 0)
  const tables = joinTables(parts)
  const offset = PACK_HEADER_SIZE
  const header = encodeGroupHeader(id, { offset, synced: offset, dataLength, dataCrc, kind: GROUP }, tables, [])
  const end = offset + header.byteLength + dataLength
  const seal = encodeSeal(id, end)
  const decoded = decodeGroupHeader(header)
  const frames = decoded == null ? [] : Array.from(framesOf(header, decoded))

  return Buffer.concat([encodePackHeader(id), header, ...data, seal, encodeSeekTable([
    ...PACK_HEADER_FRAMES,
    [header.byteLength, 0],
    ...frames.map(({ stored, original }) => [stored, original] as const),
    [seal.byteLength, 0]
  ])])
}

/**
 * How many bytes of a pack have to be read to know what is in it.
 *
 * @param first - the first bytes of the pack, `FIRST_READ` or all of them
 * @throws {DamagedPackError} it is not a pack with this ID
 */
export function tableSizeOf (first: Buffer, id: string): number {
  const isPack = first.byteLength >= PACK_HEADER_SIZE && isPackHeader(first.subarray(0, PACK_HEADER_SIZE), id)
  const size = isPack ? groupHeaderSize(first, PACK_HEADER_SIZE, id, PACK_HEADER_SIZE) : undefined

  if (size == null || PACK_HEADER_SIZE + size > MAX_TABLE) {
    throw new DamagedPackError(id, 0, isPack ? 'its table does not match its blocks' : 'it is not a pack with this ID')
  }

  return PACK_HEADER_SIZE + size
}

/**
 * Read what is in a pack.
 *
 * @param bytes - as many as `tableSizeOf` says
 * @throws {DamagedPackError} the table is damaged
 */
export function readPackTable (bytes: Buffer, id: string): PackTable {
  const group = bytes.subarray(PACK_HEADER_SIZE)
  const header = decodeGroupHeader(group)

  if (header == null || header.kind !== GROUP || header.deletions > 0 || header.blocks > MAX_PACK_ENTRIES) {
    throw new DamagedPackError(id, PACK_HEADER_SIZE, 'its table has another checksum')
  }

  const table = new EntryTable()

  return { table, tableSize: bytes.byteLength, bytes: addGroup(table, id, { header, bytes: group }) }
}

/** Which blocks are in a part, and where: the offsets of their frames are those in its data. */
export function placesIn (part: EncodedBlocks): PartPlaces {
  const numbers = { offset: 0, synced: 0, dataLength: part.data.byteLength, dataCrc: part.crc, kind: GROUP }
  const bytes = encodeGroupHeader('0'.repeat(32), numbers, part, [])
  const header = decodeGroupHeader(bytes)
  const table = new EntryTable()

  if (header != null) {
    addGroup(table, '', { header, bytes })
  }

  return {
    keys: Array.from(table.sorted(), keyIn),
    placeOf (key) {
      const rows: Row[] = []
      table.find(key, rows)

      return rows.length === 0 ? undefined : { ...rows[0], frame: rows[0].frame - bytes.byteLength }
    }
  }
}

/** The tables of parts whose frames follow each other. */
function joinTables (parts: readonly EncodedBlocks[]): Pick<EncodedBlocks, 'frames' | 'blocks' | 'table'> {
  let frames = 0
  const rows: Buffer[] = []
  const frameRows: Uint8Array[] = []

  for (const part of parts) {
    const split = part.frames * FRAME_ROW
    const blocks = Buffer.from(part.table.subarray(split))
    frameRows.push(part.table.subarray(0, split))

    for (let at = 0; at < blocks.byteLength; at += BLOCK_ROW + blocks.readUInt16LE(at + 12)) {
      blocks.writeUInt32LE(blocks.readUInt32LE(at) + frames, at)
    }

    rows.push(blocks)
    frames += part.frames
  }

  return {
    frames, blocks: parts.reduce((sum, { blocks }) => sum + blocks, 0), table: Buffer.concat([...frameRows, ...rows])
  }
}
