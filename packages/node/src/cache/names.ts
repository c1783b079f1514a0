// Room: blocks that were fetched, kept on the disk of this node: `shared-cache.ts`. Which one was used when is in
// `use-table.ts`.
import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'

/** The name of the file of a block. Blocks of the same multihash have the same bytes. */
export function blockName ({ multihash }: CID): string {
  return base32.encode(multihash.bytes)
}
