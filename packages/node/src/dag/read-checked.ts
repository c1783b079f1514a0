import { checkBlock, checkHash } from '@ipfsz/core'
import { readAtMost } from '@ipfsz/utils/read-at-most'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Read a block of at most so many bytes, and compare it with its CID. */
export async function readChecked (
  cid: CID,
  blockstore: Pick<IpfszComponents['blockstore'], 'get'>,
  maxSize: number,
  signal: AbortSignal
): Promise<Uint8Array> {
  checkHash(cid)

  const bytes = await readAtMost(
    blockstore.get(cid, { signal }) as AsyncIterable<Uint8Array>,
    maxSize,
    () => new RangeError(`The block ${cid} exceeds the limit of ${maxSize} bytes`)
  )
  await checkBlock(cid, bytes)

  return bytes
}
