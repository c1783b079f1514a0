import { digestInPool } from '@ipfsz/utils/digest-in-pool'
import { equals } from 'multiformats/bytes'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { MIN_DIGEST_LENGTH } from '../constants.ts'
import { DigestLengthError, UnknownHashError } from '../errors.ts'
import type { CID } from 'multiformats/cid'
import type { MultihashHasher } from 'multiformats/hashes/interface'

/** Those that every Helia node has. */
const DEFAULT_HASHERS: readonly MultihashHasher[] = [sha256, sha512, identity]

/** Compares bytes with the hash in a CID. */
export class Verifier {
  readonly #hashers: ReadonlyMap<number, MultihashHasher>

  constructor (hashers: readonly MultihashHasher[]) {
    this.#hashers = new Map([...DEFAULT_HASHERS, ...hashers].map(hasher => [hasher.code, hasher]))
  }

  /** Whether the block of a CID can be verified. */
  supports (cid: CID): boolean {
    return this.#refusalOf(cid) == null
  }

  /**
   * Refuse a CID whose block cannot be verified.
   *
   * @throws {UnknownHashError}
   * @throws {DigestLengthError} the digest is too short
   */
  assertSupported (cid: CID): void {
    const err = this.#refusalOf(cid)

    if (err != null) {
      throw err
    }
  }

  #refusalOf (cid: CID): Error | undefined {
    const { code, digest } = cid.multihash

    if (!this.#hashers.has(code)) {
      return new UnknownHashError(cid, 'Pass its hasher in `hashers`')
    }

    if (code !== identity.code && digest.byteLength < MIN_DIGEST_LENGTH) {
      return new DigestLengthError(cid, `fewer than ${MIN_DIGEST_LENGTH}`)
    }

    return undefined
  }

  /**
   * Whether bytes are the block of a CID that `supports` accepts.
   *
   * @param isBusy - whether the calling thread has other work, and leaves large blocks to another one
   */
  async matches (
    { multihash: { code, digest: expected } }: CID,
    bytes: Uint8Array,
    isBusy = false
  ): Promise<boolean> {
    if (code === identity.code) {
      return equals(expected, bytes)
    }

    // a truncated digest is compared as far as it goes, so the hasher's own length does not matter
    const digest = await this.#digest(code, bytes, isBusy)

    return expected.byteLength <= digest.byteLength && equals(expected, digest.subarray(0, expected.byteLength))
  }

  async #digest (code: number, bytes: Uint8Array, isBusy: boolean): Promise<Uint8Array> {
    const hasher = this.#hashers.get(code)
    // not instead of a hasher that the caller passed
    const inPool = isBusy && DEFAULT_HASHERS.some(one => one === hasher) ? digestInPool(code, bytes) : undefined

    return await inPool ?? (await hasher?.digest(bytes))?.digest ?? new Uint8Array(0)
  }
}
