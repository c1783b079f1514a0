import { concat } from '@ipfsz/utils/bytes'
import { originalModeOf } from './ipfs-unixfs-internals.ts'
import { encodeMessage } from './message.ts'
import type { UnixFS } from 'ipfs-unixfs'

/** The types of a UnixFS message, indexed by their number in protobuf. */
const TYPES = ['raw', 'directory', 'file', 'metadata', 'symlink', 'hamt-sharded-directory']

const DEFAULT_FILE_MODE = 0o644
const DEFAULT_DIRECTORY_MODE = 0o755

/** The bits of a mode that give the file's kind. */
const KIND_BITS = 0xfffff000

/**
 * Same as `unixfs.marshal ()`, without its bug. That one writes wrong bytes, different each
 * time, for a number from 2^31 to 2^32 - 1, such as the size of a file of 2 to 4 GiB. Its
 * protobuf runtime (protons-runtime 7.1 and 8.0) treats the lower half as negative, writes
 * one byte of it, and leaves the others uninitialized.
 */
export function marshal (unixfs: UnixFS): Uint8Array {
  const { data, mtime, blockSizes, hashType, fanout } = unixfs
  const hasSize = unixfs.type === 'file' || unixfs.type === 'raw'

  return concat(encodeMessage({
    type: TYPES.indexOf(unixfs.type),
    data,
    fileSize: hasSize ? Number(unixfs.fileSize()) : undefined,
    blockSizes,
    hashType,
    fanout,
    mode: modeOf(unixfs),
    mtime
  }))
}

/** The mode to write: undefined if it is the default. */
function modeOf (unixfs: UnixFS): number | undefined {
  if (unixfs.mode == null) {
    return undefined
  }

  const mode = ((originalModeOf(unixfs) & KIND_BITS) | unixfs.mode) >>> 0

  return mode === (unixfs.isDirectory() ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE) ? undefined : mode
}
