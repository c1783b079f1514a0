import { IDENTITY_SIZE } from '../disk/file-identity.ts'
import type { KnownFile } from './known-file.ts'

/* A record is: length of the path (2 bytes), path, identity, dagSize, storedSize (8 bytes each), flags (1), length of
 * the CID (1), CID. With the flag LISTED: number of blocks (1), and of each its size (4), length of its CID (1), CID.
 * Numbers are little endian. */

const [SETTLED, SINGLE, ONLY_IPFSZ, LISTED] = [1, 2, 4, 8]
const NUMBERS = IDENTITY_SIZE + 2
const FIXED = 2 + 8 * NUMBERS + 2
const BLOCK = 4 + 1
const [MAX_PATH, MAX_CID] = [65_535, 255]
/** More blocks are not listed: the root of such a file is read. */
const MAX_BLOCKS = 255

/** @returns undefined if it does not fit: such a file is not known */
export function encodeRecord (path: string, file: KnownFile): Buffer | undefined {
  const { identity, isSettled, cid, dagSize, storedSize, isSingle, onlyIpfsz } = file
  const pathLength = Buffer.byteLength(path)

  if (pathLength > MAX_PATH || cid.byteLength > MAX_CID) {
    return undefined
  }

  const { length } = file.blocks ?? []
  const blocks = length <= MAX_BLOCKS && file.blocks?.every(({ cid }) => cid.byteLength <= MAX_CID) === true
    ? file.blocks
    : undefined
  const listSize = blocks?.reduce((size, { cid }) => size + BLOCK + cid.byteLength, 1) ?? 0
  const record = Buffer.allocUnsafe(FIXED + pathLength + cid.byteLength + listSize)
  let at = record.writeUInt16LE(pathLength)
  at += record.write(path, at)

  for (const number of [...identity, dagSize, storedSize]) {
    at = record.writeBigInt64LE(BigInt.asIntN(64, number), at)
  }

  const flags = (isSettled ? SETTLED : 0) | (isSingle ? SINGLE : 0) | (onlyIpfsz ? ONLY_IPFSZ : 0)
  at = record.writeUInt8(flags | (blocks == null ? 0 : LISTED), at)
  at = record.writeUInt8(cid.byteLength, at)
  record.set(cid, at)
  at += cid.byteLength

  if (blocks != null) {
    at = record.writeUInt8(blocks.length, at)

    for (const { cid, size } of blocks) {
      at = record.writeUInt32LE(size, at)
      at = record.writeUInt8(cid.byteLength, at)
      record.set(cid, at)
      at += cid.byteLength
    }
  }

  return record
}

/**
 * Read the record at an offset.
 *
 * @throws {RangeError} it is cut off
 */
export function decodeRecord (bytes: Buffer, start: number): { path: string, file: KnownFile, end: number } {
  const pathEnd = start + 2 + bytes.readUInt16LE(start)
  const identity = [0, 8, 16, 24].map(offset => bytes.readBigInt64LE(pathEnd + offset))
  const sizesAt = pathEnd + 8 * IDENTITY_SIZE
  const flagsAt = pathEnd + 8 * NUMBERS
  const flags = bytes.readUInt8(flagsAt)
  const cidEnd = flagsAt + 2 + bytes.readUInt8(flagsAt + 1)
  const { blocks, end } = (flags & LISTED) === 0 ? { blocks: undefined, end: cidEnd } : decodeBlocks(bytes, cidEnd)

  if (end > bytes.byteLength) {
    throw new RangeError('the record is cut off')
  }

  return {
    path: bytes.toString('utf8', start + 2, pathEnd),
    file: {
      identity,
      isSettled: (flags & SETTLED) !== 0,
      cid: Uint8Array.prototype.slice.call(bytes, flagsAt + 2, cidEnd),
      dagSize: bytes.readBigInt64LE(sizesAt),
      storedSize: bytes.readBigInt64LE(sizesAt + 8),
      isSingle: (flags & SINGLE) !== 0,
      blocks,
      onlyIpfsz: (flags & ONLY_IPFSZ) !== 0,
      record: bytes.subarray(start, end)
    },
    end
  }
}

/** @throws {RangeError} they are cut off */
function decodeBlocks (bytes: Buffer, start: number): Pick<KnownFile, 'blocks'> & { end: number } {
  const blocks: Array<{ cid: Uint8Array, size: number }> = []
  let at = start + 1

  for (let left = bytes.readUInt8(start); left > 0; left--) {
    const cidAt = at + BLOCK
    const size = bytes.readUInt32LE(at)
    at = cidAt + bytes.readUInt8(cidAt - 1)
    blocks.push({ cid: Uint8Array.prototype.slice.call(bytes, cidAt, at), size })
  }

  return { blocks, end: at }
}
