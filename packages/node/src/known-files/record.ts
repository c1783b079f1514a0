import { IDENTITY_SIZE } from '../disk/file-identity.ts'
import type { KnownFile } from './known-file.ts'

/* A record is: length of the path (2 bytes), path, identity, dagSize, storedSize (8 bytes each), flags (1), length of
 * the CID (1), CID. Numbers are little endian. */

const [SETTLED, SINGLE, ONLY_IPFSZ] = [1, 2, 4]
const NUMBERS = IDENTITY_SIZE + 2
const FIXED = 2 + 8 * NUMBERS + 2
const [MAX_PATH, MAX_CID] = [65_535, 255]

/** @returns undefined if it does not fit: such a file is not known */
export function encodeRecord (path: string, file: KnownFile): Buffer | undefined {
  const { identity, isSettled, cid, dagSize, storedSize, isSingle, onlyIpfsz } = file
  const pathLength = Buffer.byteLength(path)

  if (pathLength > MAX_PATH || cid.byteLength > MAX_CID) {
    return undefined
  }

  const record = Buffer.allocUnsafe(FIXED + pathLength + cid.byteLength)
  let at = record.writeUInt16LE(pathLength)
  at += record.write(path, at)

  for (const number of [...identity, dagSize, storedSize]) {
    at = record.writeBigInt64LE(BigInt.asIntN(64, number), at)
  }

  at = record.writeUInt8((isSettled ? SETTLED : 0) | (isSingle ? SINGLE : 0) | (onlyIpfsz ? ONLY_IPFSZ : 0), at)
  at = record.writeUInt8(cid.byteLength, at)
  record.set(cid, at)

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
  const end = flagsAt + 2 + bytes.readUInt8(flagsAt + 1)

  if (end > bytes.byteLength) {
    throw new RangeError('the record is cut off')
  }

  return {
    path: bytes.toString('utf8', start + 2, pathEnd),
    file: {
      identity,
      isSettled: (flags & SETTLED) !== 0,
      cid: Uint8Array.prototype.slice.call(bytes, flagsAt + 2, end),
      dagSize: bytes.readBigInt64LE(sizesAt),
      storedSize: bytes.readBigInt64LE(sizesAt + 8),
      isSingle: (flags & SINGLE) !== 0,
      onlyIpfsz: (flags & ONLY_IPFSZ) !== 0,
      record: bytes.subarray(start, end)
    },
    end
  }
}
