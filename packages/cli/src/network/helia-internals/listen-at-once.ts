import { BITSWAP, ON_STREAM } from './bitswap-messages.ts'
import { widenWindow } from './widen-window.ts'
import type { BitswapMessages } from './bitswap-messages.ts'
import type { Libp2p } from '@libp2p/interface'

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
 */
export async function listenAtOnce (
  libp2p: Pick<Libp2p, 'handle' | 'unhandle'>,
  network: Pick<BitswapMessages['network'], typeof ON_STREAM>
): Promise<void> {
  await libp2p.unhandle(BITSWAP)
  await libp2p.handle(BITSWAP, (stream, connection) => {
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

    return network[ON_STREAM](stream, connection)
  }, { maxInboundStreams: MAX_STREAMS, maxOutboundStreams: MAX_STREAMS })
}
