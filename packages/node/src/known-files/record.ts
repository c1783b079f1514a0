import { IDENTITY_SIZE } from '../disk/file-identity.ts'
import type { KnownFile } from './known-file.ts'

/* A record is: length of the key (2 bytes), key, identity, dagSize, storedSize (8 bytes each), flags (1), length of the
 * CID (1), CID. Numbers are little endian. */

const [SETTLED, SINGLE] = [1, 2]
const NUMBERS = IDENTITY_SIZE + 2
const FIXED = 2 + 8 * NUMBERS + 2
const [MAX_KEY, MAX_CID] = [65_535, 255]

/** @returns undefined if it does not fit: such a file is not known */
export function encodeRecord (key: string, file: KnownFile): Buffer | undefined {
  const { identity, isSettled, cid, dagSize, storedSize, isSingle } = file
  const keyLength = Buffer.byteLength(key)

  if (keyLength > MAX_KEY || cid.byteLength > MAX_CID) {
    return undefined
  }

  const record = Buffer.allocUnsafe(FIXED + keyLength + cid.byteLength)
  let at = record.writeUInt16LE(keyLength)
  at += record.write(key, at)

  for (const number of [...identity, dagSize, storedSize]) {
    at = record.writeBigInt64LE(BigInt.asIntN(64, number), at)
  }

  at = record.writeUInt8((isSettled ? SETTLED : 0) | (isSingle ? SINGLE : 0), at)
  at = record.writeUInt8(cid.byteLength, at)
  record.set(cid, at)

  return record
}

/**
 * Read the record at an offset.
 *
 * @throws {RangeError} it is cut off
 */
export function decodeRecord (bytes: Buffer, start: number): { key: string, file: KnownFile, end: number } {
  const keyEnd = start + 2 + bytes.readUInt16LE(start)
  const key = bytes.toString('utf8', start + 2, keyEnd)
  const numbers = Array.from({ length: NUMBERS }, (_, i) => bytes.readBigInt64LE(keyEnd + 8 * i))
  const flagsAt = keyEnd + 8 * NUMBERS
  const flags = bytes.readUInt8(flagsAt)
  const end = flagsAt + 2 + bytes.readUInt8(flagsAt + 1)

  if (end > bytes.byteLength) {
    throw new RangeError('the record is cut off')
  }

  return {
    key,
    file: {
      identity: numbers.slice(0, IDENTITY_SIZE),
      isSettled: (flags & SETTLED) !== 0,
      cid: Uint8Array.from(bytes.subarray(flagsAt + 2, end)),
      dagSize: numbers[IDENTITY_SIZE],
      storedSize: numbers[IDENTITY_SIZE + 1],
      isSingle: (flags & SINGLE) !== 0
    },
    end
  }
}
