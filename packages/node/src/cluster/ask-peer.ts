import { NamedError } from '@ipfsz/utils/named-error'
import { StallDetector } from '@ipfsz/core'
import { Answer, answersOn, CLUSTER_PROTOCOL } from './messages.ts'
import type { Body } from '../network/fetch-request.ts'
import type { Connection, Stream } from '@libp2p/interface'

/** Maximum number of requests that are under way to one node. What would be another one is fetched here. */
const MAX_STREAMS = 256

/** Thrown when the other node answers that it could not fetch a block. */
export class ClusterPeerError extends NamedError {
  static override readonly name = 'ClusterPeerError'
}

/**
 * Ask another node of the store for a block, and wait as long as it says that it works on it.
 *
 * @param silence - how long it may say nothing, in milliseconds
 * @returns bytes that are not checked
 */
export async function askPeer (
  connection: Connection,
  request: Body,
  { silence, signal }: { silence: number, signal: AbortSignal }
): Promise<Uint8Array> {
  const answers = new StallDetector()
  const silent = new AbortController()
  const unwatch = answers.watch(silence, () => { silent.abort(new Error('the other node does not respond')) })
  const options = { signal: AbortSignal.any([signal, silent.signal]) }
  let stream: Stream | undefined

  try {
    stream = await connection.newStream(CLUSTER_PROTOCOL, { ...options, maxOutboundStreams: MAX_STREAMS })
    const messages = answersOn(stream)
    await messages.write(Buffer.from(JSON.stringify(request)), options)

    for (;;) {
      const answer = (await messages.read(options)).subarray()
      answers.arrived()

      if (answer[0] === Answer.block) {
        stream.close().catch(() => {})

        return answer.subarray(1)
      }

      if (answer[0] !== Answer.working) {
        throw new ClusterPeerError('the other node of the store could not fetch the block')
      }
    }
  } catch (err) {
    stream?.abort(err as Error)
    throw err
  } finally {
    unwatch()
  }
}
