import { base32 } from 'multiformats/bases/base32'
import { sha256 } from 'multiformats/hashes/sha2'
import type { ContentCoding } from '../contract.ts'
import type { CID } from 'multiformats/cid'

/**
 * A strong ETag: the CID, and what else the bytes depend on, such as `raw` or `zstd`. A part of a file
 * has the ETag of the whole (RFC 9110, section 15.3.7), or `If-Range` would never match.
 */
export function etagOf (cid: CID, ...variant: Array<string | undefined>): string {
  return `"${[cid.toString(), ...variant.filter(part => part != null)].join('.')}"`
}

/**
 * The ETag of what was compressed for a response. It is weak: the bytes are the same for the same software only.
 * They are not those of `etagOf`, which are stored.
 */
export function compressedEtagOf (cid: CID, coding: ContentCoding | 'dcz', variant?: string): string {
  return `W/${etagOf(cid, variant, `fast-${coding}`)}`
}

/** A short text that names what an ETag depends on besides a CID. */
export async function fingerprint (...values: unknown[]): Promise<string> {
  const { digest } = await sha256.digest(new TextEncoder().encode(JSON.stringify(values)))

  return base32.encode(digest.subarray(0, 15))
}
