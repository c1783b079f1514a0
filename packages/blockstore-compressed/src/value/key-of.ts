import { base64 } from 'multiformats/bases/base64'
import type { CID } from 'multiformats/cid'

/** What a block is known by, in one string: stores keep one value for all CIDs of a multihash. */
export function keyOf ({ multihash }: CID): string {
  return base64.baseEncode(multihash.bytes)
}
