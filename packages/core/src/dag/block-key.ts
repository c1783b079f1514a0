import { bytesKey } from './cid-key.ts'
import type { CID } from 'multiformats/cid'

/** A key of a block: its multihash, because a CID of another version or codec names the same bytes. */
export function blockKey ({ multihash }: Pick<CID, 'multihash'>): string {
  return bytesKey(multihash.bytes)
}
