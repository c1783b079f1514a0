import { messageOf } from '@ipfsz/utils/message-of'
import { checkBlock } from '../../dag/hashes.ts'
import { unmark } from '../../marker.ts'
import { BodyReader } from './body-reader.ts'
import { GatewayConnectionError, GatewayContentError, GatewayRefusedError } from './errors.ts'
import { MAX_BLOCK_SIZE } from './limits.ts'
import { openResponse } from './open-response.ts'
import type { RequestOptions } from './open-response.ts'
import type { CID } from 'multiformats/cid'

const RAW = 'application/vnd.ipld.raw'

/**
 * Fetch a single block (Trustless Gateway, Block Responses).
 *
 * @param url - of the gateway
 * @param stop - ends the response
 * @throws {GatewayContentError} the bytes do not match the CID
 * @throws {GatewayRefusedError} the block is larger than 2 MiB, or as `openResponse`
 * @throws {GatewayConnectionError} the response was cut
 * @throws {Error} as `openResponse`
 */
export async function fetchRawBlock (
  url: string,
  cid: CID,
  stop: AbortController,
  { fetch, stallTimeout }: Omit<RequestOptions, 'signal'>
): Promise<Uint8Array> {
  const request = { fetch, stallTimeout, signal: stop.signal }

  try {
    const response = await openResponse(url, `ipfs/${unmark(cid)}?format=raw`, RAW, request)
    // with a Content-Encoding, the header has another length
    const stated = response.headers.has('content-encoding') ? null : response.headers.get('content-length')
    const length = stated == null || !/^\d+$/.test(stated) ? undefined : Number(stated)
    const expected = Math.min(length ?? MAX_BLOCK_SIZE, MAX_BLOCK_SIZE)
    // one more: a block could begin with the bytes of another
    const bytes = await new BodyReader(url, response, request).read(expected + 1)

    if (bytes.byteLength > MAX_BLOCK_SIZE) {
      throw new GatewayRefusedError(url, response.status, `sent a block of more than ${MAX_BLOCK_SIZE} bytes`)
    }

    if (length != null && length !== bytes.byteLength) {
      throw new GatewayConnectionError(url, `it has ${length} bytes`, { received: bytes.byteLength })
    }

    await checkBlock(cid, bytes).catch((err: unknown) => {
      throw new GatewayContentError(url, messageOf(err), { cause: err })
    })

    return bytes.slice()
  } finally {
    // closes the connection if there is more to read
    stop.abort()
  }
}
