import { bytesField, pushFieldHead, pushVarintField, varint } from '../format/protobuf.ts'
import type { Mtime } from 'ipfs-unixfs'

/** Field numbers of the UnixFS message, and of the mtime in it (UnixFS specification, "Data Format"). */
const TYPE = 1
const DATA = 2
const FILE_SIZE = 3
const BLOCK_SIZES = 4
const HASH_TYPE = 5
const FANOUT = 6
const MODE = 7
const MTIME = 8
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

  pushVarintField(before, TYPE, type)

  if (fileSize != null) {
    pushVarintField(after, FILE_SIZE, fileSize)
  }

  for (const size of blockSizes) {
    pushVarintField(after, BLOCK_SIZES, Number(size))
  }

  if (hashType != null) {
    pushVarintField(after, HASH_TYPE, Number(hashType))
  }

  if (fanout != null) {
    pushVarintField(after, FANOUT, Number(fanout))
  }

  if (mode != null) {
    pushVarintField(after, MODE, mode)
  }

  const parts: Uint8Array[] = []

  if (data != null && data.byteLength > 0) {
    pushFieldHead(before, DATA, data.byteLength)
    parts.push(new Uint8Array(before), data)
  } else {
    parts.push(new Uint8Array(before))
  }

  parts.push(new Uint8Array(after))

  if (mtime != null) {
    parts.push(bytesField(MTIME, encodeTime(mtime)))
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
