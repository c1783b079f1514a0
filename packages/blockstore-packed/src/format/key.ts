import { hash } from 'node:crypto'
import { sha256 } from 'multiformats/hashes/sha2'
import type { MultihashDigest } from 'multiformats'

export const KEY_SIZE = 32

/** What the index is sorted by. */
export interface Key {
  /** 32 bytes. */
  bytes: Uint8Array
  /** 0: the digest of a sha2-256 multihash. 1: the sha2-256 of another multihash. */
  kind: number
}

/** The key of a multihash. The kind keeps a digest, which anybody may choose, from being another multihash's key. */
export function keyOf (multihash: MultihashDigest): Key {
  return multihash.code === sha256.code && multihash.digest.byteLength === KEY_SIZE
    ? { bytes: multihash.digest, kind: 0 }
    : { bytes: hash('sha256', multihash.bytes, 'buffer'), kind: 1 }
}

/** A key as a string, for maps. */
export function keyText ({ bytes, kind }: Key): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') + (kind === 0 ? '' : '+')
}
