// Room: the bytes of a pack (docs/packs.md): CAR sections, headers of groups, entries, the seek table.
import { crc32 } from 'node:zlib'
import { CAR_HEADER } from './car.ts'
import { rawFrameSize, writeRawFrame } from './raw-frame.ts'

const MAGIC = Buffer.from('IPFSzPk1')
const SKIPPABLE = 0x184d2a50
const ID_SIZE = 16
const CONTENT = MAGIC.byteLength + ID_SIZE + 4
const ID_HEADER = 8 + CONTENT
const CAR_FRAME = rawFrameSize(CAR_HEADER.byteLength)

/** Bytes before the first group. */
export const PACK_HEADER_SIZE = ID_HEADER + CAR_FRAME

/** The stored and original sizes of the frames of the header, for the seek table. */
export const PACK_HEADER_FRAMES: ReadonlyArray<[stored: number, original: number]> = [
  [ID_HEADER, 0], [CAR_FRAME, CAR_HEADER.byteLength]
]

/** @param id - 32 hexadecimal digits */
export function encodePackHeader (id: string): Buffer {
  const bytes = Buffer.alloc(PACK_HEADER_SIZE)
  bytes.writeUInt32LE(SKIPPABLE, 0)
  bytes.writeUInt32LE(CONTENT, 4)
  MAGIC.copy(bytes, 8)
  bytes.write(id, 16, 'hex')
  bytes.writeUInt32LE(crc32(bytes.subarray(8, 32)), 32)
  writeRawFrame(bytes, ID_HEADER, [CAR_HEADER], CAR_HEADER.byteLength)

  return bytes
}

export function isPackHeader (bytes: Uint8Array, id: string): boolean {
  return Buffer.compare(bytes, encodePackHeader(id)) === 0
}
