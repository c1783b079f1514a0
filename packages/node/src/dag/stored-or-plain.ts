import { collectBytes } from '@ipfsz/utils/bytes'
import { isMissing } from './missing.ts'
import type { GatewayBlocks } from '@ipfsz/gateway'

type GetStored = NonNullable<GatewayBlocks['getStored']>

/** Get a block as it is stored. One that is missing there comes uncompressed, from others. */
export function storedOrPlain (getStored: GetStored, others: Pick<GatewayBlocks, 'get'>): GetStored {
  return async (cid, options) => {
    try {
      return await getStored(cid, options)
    } catch (err) {
      if (!isMissing(err)) {
        throw err
      }
    }

    const payload = await collectBytes(others.get(cid, options))

    return { codec: 'none', size: payload.byteLength, payload }
  }
}
