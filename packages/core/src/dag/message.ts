import { bytesField, pushFieldHead, pushVarintField, readFields, varint } from '../format/protobuf.ts'
import type { Mtime } from 'ipfs-unixfs'

/** Field numbers of the UnixFS message (UnixFS specification, "Data Format"). */
export const MESSAGE = {
  type: 1,
  data: 2,
  fileSize: 3,
  blockSizes: 4,
  hashType: 5,
  fanout: 6,
  mode: 7,
  mtime: 8
} as const

/** And of the mtime in it. */
const SECONDS = 1
const NANOSECONDS = 2
const FIXED32 = 5

/** A UnixFS message, as it is written. */
export interface Message {
  /** Its number in protobuf. */
  type: number
  data?: Uint8Array | undefined
  /** In bytes, of files and raw nodes. */
  fileSize?: number | undefined
  blockSizes: Iterable<number | bigint>
  hashType?: bigint | undefined
  fanout?: bigint | undefined
  /** Undefined if it is the default. */
  mode?: number | undefined
  mtime?: Mtime | undefined
}

/** The fields of a message, in parts: the data of a small file stays where it lies. Loads nothing of ipfs-unixfs. */
export function encodeMessage (
  { type, data, fileSize, blockSizes, hashType, fanout, mode, mtime }: Message
): Uint8Array[] {
  const before: number[] = []
  const after: number[] = []

  pushVarintField(before, MESSAGE.type, type)

  if (fileSize != null) {
    pushVarintField(after, MESSAGE.fileSize, fileSize)
  }

  for (const size of blockSizes) {
    pushVarintField(after, MESSAGE.blockSizes, Number(size))
  }

  if (hashType != null) {
    pushVarintField(after, MESSAGE.hashType, Number(hashType))
  }

  if (fanout != null) {
    pushVarintField(after, MESSAGE.fanout, Number(fanout))
  }

  if (mode != null) {
    pushVarintField(after, MESSAGE.mode, mode)
  }

  const parts: Uint8Array[] = []

  if (data != null && data.byteLength > 0) {
    pushFieldHead(before, MESSAGE.data, data.byteLength)
    parts.push(new Uint8Array(before), data)
  } else {
    parts.push(new Uint8Array(before))
  }

  parts.push(new Uint8Array(after))

  if (mtime != null) {
    parts.push(bytesField(MESSAGE.mtime, encodeTime(mtime)))
  }

  return parts
}

function encodeTime ({ secs, nsecs }: Mtime): Uint8Array {
  const nanoseconds = new DataView(new ArrayBuffer(4))
  nanoseconds.setUint32(0, nsecs ?? 0, true)

  return Uint8Array.from([
    ...varint(SECONDS * 8),
    ...signedVarint(secs),
    ...nsecs == null ? [] : [...varint(NANOSECONDS * 8 + FIXED32), ...new Uint8Array(nanoseconds.buffer)]
  ])
}

/** A negative number is encoded as the unsigned number with the same 64 bits. */
function signedVarint (value: bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)

  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }

  return [...bytes, Number(rest)]
}

/**
 * Read an mtime as {@link encodeMessage} writes it. Of other bytes, any time may come.
 *
 * @throws {InvalidProtobufError} they are malformed, or the time is before 1970
 */
export function decodeTime (bytes: Uint8Array): Mtime {
  let secs = 0n
  let nsecs: number | undefined

  for (const { number, value } of readFields(bytes)) {
    if (number === SECONDS) {
      secs = BigInt(value)
    } else {
      nsecs = new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.byteLength - 4, true)
    }
  }

  return nsecs == null ? { secs } : { secs, nsecs }
}
