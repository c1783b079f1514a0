import { storedOrPlain } from '../dag/stored-or-plain.ts'
import type { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import type { GatewayBlocks } from '@ipfsz/gateway'

/**
 * How a repo hands out the compressed payloads of its blocks. Undefined if it compresses none.
 *
 * @param others - has more blocks than the repo, which are stored in no form
 */
export function storedBlocks (
  blockstore: object,
  others?: Pick<GatewayBlocks, 'get'>
): NonNullable<GatewayBlocks['getStored']> | undefined {
  // not by class: the package is loaded only by repos that need it
  if (!('getStored' in blockstore)) {
    return undefined
  }

  const { getStored } = blockstore as CompressedBlockstore
  const stored: typeof getStored = getStored.bind(blockstore)

  return others == null ? stored : storedOrPlain(stored, others)
}
