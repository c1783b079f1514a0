import { missingInternal } from './missing-internal.ts'
import { widenWindow } from './widen-window.ts'
import type { Libp2p, StreamHandler } from '@libp2p/interface'

const PROTOCOL = '/ipfs/bitswap/1.2.0'
/** The private method of @helia/bitswap that handles an incoming stream. */
const ON_STREAM = '_onStream'
/** The limit of @helia/bitswap. */
const MAX_STREAMS = 1024
/** How long @helia/bitswap may take to listen to a stream, in milliseconds. */
const LISTENS_WITHIN = 100

/**
 * Makes @helia/bitswap listen to an incoming stream at once. By itself, it listens only after it has
 * closed its own side of the stream. On a slow link, two things go wrong before that:
 *
 * - more than 4 MiB arrive, four blocks of 1 MiB. libp2p buffers no more of a stream without a
 *   listener: it aborts the stream, the blocks are lost and a fetch stalls for ten seconds;
 * - the other side ends the stream, and @helia/bitswap never sees it. Kubo opens a stream for
 *   each message, and @helia/bitswap keeps every such stream, three copies of its bytes, until it
 *   times out: gigabytes while a large file is fetched.
 *
 * @param broker - made by `withBitswap` of @helia/bitswap
 * @throws {NodeError} the private method is gone
 */
export async function listenAtOnce (libp2p: Pick<Libp2p, 'handle' | 'unhandle'>, broker: unknown): Promise<void> {
  const { network } = (broker as { bitswap?: { network?: Record<string, unknown> } } | undefined)?.bitswap ?? {}
  const onStream = network?.[ON_STREAM] as StreamHandler | undefined

  if (typeof onStream !== 'function') {
    throw missingInternal('@helia/bitswap', `network.${ON_STREAM}`)
  }

  await libp2p.unhandle(PROTOCOL)
  await libp2p.handle(PROTOCOL, (stream, connection) => {
    const close = stream.close.bind(stream)

    widenWindow(stream)

    // @helia/bitswap awaits this call: it must not wait for the link
    stream.close = async options => {
      stream.close = close
      // ignore the error: a stream that cannot be closed is aborted when it times out
      close(options).catch(() => {})
    }
    // both sides have ended: say so again, in case the other side ended before @helia/bitswap listened
    stream.addEventListener('close', () => {
      setTimeout(() => { stream.dispatchEvent(new Event('remoteCloseWrite')) }, LISTENS_WITHIN).unref()
    }, { once: true })

    return onStream(stream, connection)
  }, { maxInboundStreams: MAX_STREAMS, maxOutboundStreams: MAX_STREAMS })
}
