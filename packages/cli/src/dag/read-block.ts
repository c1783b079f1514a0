import all from 'it-all'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

type Store = Pick<IpfszComponents['blockstore'], 'get'>

/** Read all pieces of a block. The bytes are not compared with the CID. */
export async function readBlock (
  cid: CID,
  blockstore: Store,
  options?: Parameters<Store['get']>[1]
): Promise<Uint8Array> {
  const pieces = await all(blockstore.get(cid, options))

  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}
