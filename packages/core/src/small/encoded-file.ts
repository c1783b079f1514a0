import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import type { DecidedProgress } from '../events.ts'

/** A block, and its CID. */
export interface EncodedBlock {
  /** The bytes of a CIDv1. */
  cid: Uint8Array
  bytes: Uint8Array
}

/** A whole file as it is stored. Can be posted to other threads. */
export interface EncodedFile {
  /** The root: the bytes of its plain CIDv1, which `CID.decode` reads. */
  cid: Uint8Array
  /** The marker code of a compressed file. */
  marker?: number
  /** Whether only IPFSz can read it, as it is compressed with filters or a dictionary. */
  onlyIpfsz?: boolean
  /** Whether it refers back to the dictionary that it was offered. */
  hasDictionary?: boolean
  /** Its blocks, in the order in which they are stored: the root is the last one. */
  blocks: EncodedBlock[]
  /** Original bytes. */
  size: number
  /** Bytes of all blocks: the size of the file in the link of a directory. */
  dagSize: number
  /** The codec that it is compressed with, or `none`. */
  codec: DecidedProgress['codec']
  /** Why. */
  reason: DecidedProgress['reason']
  /** Compressed bytes of its only frame, if it is compressed. */
  frameLength?: number
}

/** The codes of dag-pb and raw blocks in a CID. */
export const DAG_PB = 0x70
export const RAW = 0x55

/** What comes before the digest in a CIDv1: version, code of the block, sha2-256, 32 bytes. */
const VERSION = 1
const SHA2_256 = 0x12
const DIGEST_LENGTH = 32
const HEAD_LENGTH = 4

/** Hash a block at once. Undefined where that is not possible, as in browsers. */
export function encodeBlock (code: typeof DAG_PB | typeof RAW, bytes: Uint8Array): EncodedBlock | undefined {
  const digest = sha256Sync(bytes)

  if (digest == null) {
    return undefined
  }

  const cid = new Uint8Array(HEAD_LENGTH + DIGEST_LENGTH)
  cid[0] = VERSION
  cid[1] = code
  cid[2] = SHA2_256
  cid[3] = DIGEST_LENGTH
  cid.set(digest, HEAD_LENGTH)

  return { cid, bytes }
}
