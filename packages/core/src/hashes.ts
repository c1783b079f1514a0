import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import type { CID } from 'multiformats/cid'

/** The hash functions that blocks are checked with, as Helia has them, and what Kubo makes besides. */
const HASHERS = [sha256, identity, sha512]

/** Whether blocks with the hash function of a CID can be checked here. */
export function canCheck ({ multihash }: CID): boolean {
  return HASHERS.some(({ code }) => code === multihash.code)
}

/** Whether bytes are those that a CID names: also true where that cannot be checked. */
export async function matches ({ multihash }: CID, bytes: Uint8Array): Promise<boolean> {
  const hasher = HASHERS.find(({ code }) => code === multihash.code)

  if (hasher == null) {
    return true
  }

  const { digest } = await hasher.digest(bytes)
  const expected = multihash.digest

  // a truncated hash is compared as far as it goes
  return expected.byteLength <= digest.byteLength && expected.every((byte, i) => byte === digest[i])
}
