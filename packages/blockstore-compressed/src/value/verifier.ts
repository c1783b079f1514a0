import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { MIN_DIGEST_LENGTH } from '../constants.ts'
import type { CID } from 'multiformats/cid'
import type { MultihashHasher } from 'multiformats/hashes/interface'

/** Those that Helia has without being given any. */
const DEFAULT_HASHERS: readonly MultihashHasher[] = [sha256, sha512, identity]

/** Compares bytes with the hash in a CID. */
export class Verifier {
  readonly #hashers: ReadonlyMap<number, MultihashHasher>

  constructor (hashers: readonly MultihashHasher[]) {
    this.#hashers = new Map([...DEFAULT_HASHERS, ...hashers].map(hasher => [hasher.code, hasher]))
  }

  /** Whether bytes can be compared with a CID at all. */
  knows ({ multihash: { code, digest } }: CID): boolean {
    return this.#hashers.has(code) && (code === identity.code || digest.byteLength >= MIN_DIGEST_LENGTH)
  }

  /** Whether bytes are the block of a CID that is known. */
  async matches ({ multihash: { code, digest: expected } }: CID, bytes: Uint8Array): Promise<boolean> {
    if (code === identity.code) {
      return isEqual(expected, bytes)
    }

    // without the length: a truncated digest is compared as far as it goes
    const { digest } = await this.#hashers.get(code)?.digest(bytes) ?? { digest: new Uint8Array(0) }

    return expected.byteLength <= digest.byteLength && isEqual(expected, digest.subarray(0, expected.byteLength))
  }
}

export function isEqual (a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i])
}
