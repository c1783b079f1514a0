import { widenWindow } from './widen-window.ts'
import type { Libp2p, StreamHandler } from '@libp2p/interface'

const PROTOCOL = '/ipfs/bitswap/1.2.0'
/** What Helia calls what it does with a stream. */
const ON_STREAM = '_onStream'
/** As Helia has it. */
const MAX_STREAMS = 1024
/** How long Helia may take to listen to a stream, in milliseconds. */
const LISTENS_WITHIN = 100

/**
 * Let Helia's Bitswap listen to streams at once. It waits first until its own side of
 * one is closed, and by then
 *
 * - more than the 4 MiB may have come that libp2p keeps of a stream nobody listens to,
 *   which is four blocks of 1 MiB: then the stream is aborted and all of them are lost,
 *   and a fetch stands still for ten seconds;
 * - the other side may have ended, which is not heard any more. Kubo sends each message
 *   on a stream of its own, and Helia keeps each, three times, until it would time
 *   out: gigabytes while a large file is fetched.
 *
 * @param broker - as `withBitswap` of @helia/bitswap makes it. Another version, which
 *   may have mended it, is left as it is.
 */
export async function listenAtOnce (libp2p: Pick<Libp2p, 'handle' | 'unhandle'>, broker: unknown): Promise<void> {
  const onStream = (broker as { bitswap?: { network?: Record<string, unknown> } } | undefined)?.bitswap?.network?.[ON_STREAM]

  if (!isHandler(onStream)) {
    return
  }

  await libp2p.unhandle(PROTOCOL)
  await libp2p.handle(PROTOCOL, (stream, connection) => {
    const close = stream.close.bind(stream)

    widenWindow(stream)

    // what Helia waits for
    stream.close = async options => {
      stream.close = close
      // where it cannot be closed it ends otherwise
      close(options).catch(() => {})
    }
    // both sides have ended: the other one did so unheard if it was before Helia listened
    stream.addEventListener('close', () => {
      setTimeout(() => { stream.dispatchEvent(new Event('remoteCloseWrite')) }, LISTENS_WITHIN).unref()
    }, { once: true })

    return onStream(stream, connection)
  }, { maxInboundStreams: MAX_STREAMS, maxOutboundStreams: MAX_STREAMS })
}

function isHandler (value: unknown): value is StreamHandler {
  return typeof value === 'function'
}
