import type { CID } from 'multiformats/cid'

const decoder = new TextDecoder('latin1')

/** A key of a block: its multihash, because a CID of another version or codec names the same bytes. */
export function blockKey ({ multihash }: CID): string {
  return decoder.decode(multihash.bytes)
}
