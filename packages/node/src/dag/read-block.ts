import { collectBytes } from '@ipfsz/utils/bytes'
import type { CID } from 'multiformats/cid'

interface Store<Options> {
  get (cid: CID, options?: Options): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** Read all pieces of a block. The bytes are not compared with the CID. */
export async function readBlock<Options> (
  cid: CID,
  blockstore: Store<Options>,
  options?: Options
): Promise<Uint8Array> {
  return collectBytes(blockstore.get(cid, options))
}
