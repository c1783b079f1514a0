import { collectBytes } from '@ipfsz/utils/bytes'
import { isMissing } from '../dag/missing.ts'
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
  return 'getStored' in blockstore
    ? async (cid, options) => {
      try {
        return await (blockstore as CompressedBlockstore).getStored(cid, options)
      } catch (err) {
        if (others == null || !isMissing(err)) {
          throw err
        }
      }

      const payload = await collectBytes(others.get(cid, options))

      return { codec: 'none', size: payload.byteLength, payload }
    }
    : undefined
}
