import { lpStream } from '@libp2p/utils'
import type { LengthPrefixedStream } from '@libp2p/utils'
import type { Stream } from '@libp2p/interface'

/**
 * The protocol by which a node of a store asks another one to fetch a block. One request on each stream: JSON, as
 * `fetchRequest` makes it. The answers begin with a byte of `Answer`: `working` again and again, then one of the
 * others. Each message has its length in front, as a varint.
 */
export const CLUSTER_PROTOCOL = '/ipfsz/store-fetch/1'

export const Answer = { working: 0, block: 1, failed: 2 } as const

/** Maximum number of bytes of a request, and of a block. */
const MAX_REQUEST_SIZE = 64 * 1024
const MAX_BLOCK_SIZE = 4 * 1024 * 1024

export type Messages = LengthPrefixedStream<Stream>

export function answersOn (stream: Stream): Messages {
  return lpStream(stream, { maxDataLength: MAX_BLOCK_SIZE + 1, maxBufferSize: MAX_BLOCK_SIZE + MAX_REQUEST_SIZE })
}

export function requestOn (stream: Stream): Messages {
  return lpStream(stream, { maxDataLength: MAX_REQUEST_SIZE, maxBufferSize: 2 * MAX_REQUEST_SIZE })
}
