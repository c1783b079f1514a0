import { base64 } from 'multiformats/bases/base64'
import type { CID } from 'multiformats/cid'

/** A block's multihash as a string: stores keep one value for all CIDs with that multihash. */
export function keyOf ({ multihash }: CID): string {
  return base64.baseEncode(multihash.bytes)
}
