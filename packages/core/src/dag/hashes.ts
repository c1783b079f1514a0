import { digestInPool } from '@ipfsz/utils/digest-in-pool'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { MAX_IDENTITY_LENGTH, MIN_DIGEST_LENGTH } from '../constants.ts'
import { CorruptBlockError, DigestLengthError, UnknownHashError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

const BLAKE2B_256 = 0xb220
const BLAKE3 = 0x1e

/**
 * The hash functions that blocks can be checked with, by multihash code: those of Helia, and
 * the common ones of `ipfs add --hash`, which are loaded when a block needs them.
 */
const DIGESTS = new Map<number, (bytes: Uint8Array) => Promise<Uint8Array>>([
  [sha256.code, async bytes => (await sha256.digest(bytes)).digest],
  [sha512.code, async bytes => (await sha512.digest(bytes)).digest],
  [BLAKE2B_256, async bytes => (await import('@noble/hashes/blake2.js')).blake2b(bytes, { dkLen: 32 })],
  [BLAKE3, async bytes => (await import('@noble/hashes/blake3.js')).blake3(bytes)]
])

/** Whether a CID contains its block, so that it is neither stored nor fetched. */
export function isIdentity ({ multihash }: CID): boolean {
  return multihash.code === identity.code
}

/**
 * Refuse a CID whose block could not be checked, before the block is requested.
 *
 * @throws {UnknownHashError} the hash function is not sha2-256, sha2-512, blake2b-256, blake3
 *   or identity
 * @throws {DigestLengthError} the digest is too short to be trusted, or an identity CID with
 *   links is longer than other nodes accept
 */
export function checkHash (cid: CID): void {
  const { code, digest: { byteLength } } = cid.multihash

  if (isIdentity(cid)) {
    // without links its memory is bounded by the block that contains it
    if (cid.code !== raw.code && byteLength > MAX_IDENTITY_LENGTH) {
      throw new DigestLengthError(cid, `more than ${MAX_IDENTITY_LENGTH}`)
    }
  } else if (!DIGESTS.has(code)) {
    throw new UnknownHashError(cid)
  } else if (byteLength < MIN_DIGEST_LENGTH) {
    throw new DigestLengthError(cid, `fewer than ${MIN_DIGEST_LENGTH}`)
  }
}

/**
 * Check that the bytes of a block match its CID. A truncated digest is compared as far as it
 * goes.
 *
 * @param isBusy - whether the calling thread has other work, and leaves large blocks to another one
 * @throws {CorruptBlockError} the bytes do not match
 * @throws {UnknownHashError} see {@link checkHash}
 * @throws {DigestLengthError} see {@link checkHash}
 */
export async function checkBlock (cid: CID, bytes: Uint8Array, isBusy = false): Promise<void> {
  checkHash(cid)

  const { code, digest: expected } = cid.multihash
  const digest = DIGESTS.get(code)
  const inPool = isBusy ? digestInPool(code, bytes) : undefined
  // an identity CID contains the whole block
  const actual = digest == null ? bytes : (await (inPool ?? digest(bytes))).subarray(0, expected.byteLength)

  if (expected.byteLength !== actual.byteLength || !expected.every((byte, i) => byte === actual[i])) {
    throw new CorruptBlockError(cid)
  }
}
