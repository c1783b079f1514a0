import { hash } from 'node:crypto'
import type { CID } from 'multiformats/cid'

/** Multicodecs of hash functions that Node has, and identity. */
const HASHES: Readonly<Record<number, string>> = {
  0x11: 'sha1', 0x12: 'sha256', 0x13: 'sha512', 0x14: 'sha3-512', 0x16: 'sha3-256', 0x20: 'sha384'
}
const IDENTITY = 0

/** Whether bytes have the hash of a CID. @returns undefined if Node does not have the hash function */
export function checkBlock ({ multihash: { code, digest } }: CID, bytes: Uint8Array): boolean | undefined {
  if (code === IDENTITY) {
    return Buffer.compare(bytes, digest) === 0
  }

  const name = HASHES[code]

  // a digest may be truncated
  return name == null
    ? undefined
    : digest.byteLength > 0 && Buffer.compare(hash(name, bytes, 'buffer').subarray(0, digest.byteLength), digest) === 0
}
