import { concat } from '@ipfsz/utils/bytes'
import { bytesField, pushFieldHead, pushVarintField, varint } from '../format/protobuf.ts'
import { originalModeOf } from './ipfs-unixfs-internals.ts'
import type { UnixFS } from 'ipfs-unixfs'

/** The types of a UnixFS message, indexed by their number in protobuf. */
const TYPES = ['raw', 'directory', 'file', 'metadata', 'symlink', 'hamt-sharded-directory']

const DEFAULT_FILE_MODE = 0o644
const DEFAULT_DIRECTORY_MODE = 0o755

/** The bits of a mode that give the file's kind. */
const KIND_BITS = 0xfffff000

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

/**
 * Same as `unixfs.marshal ()`, without its bug. That one writes wrong bytes, different each
 * time, for a number from 2^31 to 2^32 - 1, such as the size of a file of 2 to 4 GiB. Its
 * protobuf runtime (protons-runtime 7.1 and 8.0) treats the lower half as negative, writes
 * one byte of it, and leaves the others uninitialized.
 */
export function marshal (unixfs: UnixFS): Uint8Array {
  return concat(marshalParts(unixfs))
}

/** The same, with the data of a small file where it lies. */
export function marshalParts (unixfs: UnixFS): Uint8Array[] {
  const { data, mtime, blockSizes, hashType, fanout } = unixfs
  const mode = modeOf(unixfs)
  const before: number[] = []
  const after: number[] = []

  pushVarintField(before, TYPE, TYPES.indexOf(unixfs.type))

  if (unixfs.type === 'file' || unixfs.type === 'raw') {
    pushVarintField(after, FILE_SIZE, Number(unixfs.fileSize()))
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
    parts.push(bytesField(MTIME, marshalTime(mtime)))
  }

  return parts
}

function marshalTime ({ secs, nsecs }: NonNullable<UnixFS['mtime']>): Uint8Array {
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

/** The mode to write: undefined if it is the default. */
function modeOf (unixfs: UnixFS): number | undefined {
  if (unixfs.mode == null) {
    return undefined
  }

  const mode = ((originalModeOf(unixfs) & KIND_BITS) | unixfs.mode) >>> 0

  return mode === (unixfs.isDirectory() ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE) ? undefined : mode
}
