import type { Libp2p, StreamHandler } from '@libp2p/interface'

const PROTOCOL = '/ipfs/bitswap/1.2.0'
/** As Helia has it. */
const MAX_STREAMS = 1024
/** How long Helia may take to listen to a stream, in milliseconds. */
const LISTENS_WITHIN = 100

/**
 * Let Helia's Bitswap know the end of every stream. It listens for that only when it
 * has closed its own side, by when the stream of a fast peer has ended: Kubo sends
 * each message on a stream of its own. Then it keeps the message, three times, until
 * the stream would time out: three gigabytes while it fetches one.
 */
export async function endStreams (libp2p: Libp2p, broker: unknown): Promise<void> {
  // oxlint-disable-next-line no-underscore-dangle -- that is its name there
  const onStream = (broker as { bitswap?: { network?: { _onStream?: StreamHandler } } } | undefined)?.bitswap?.network?._onStream

  // another version, which may have mended it
  if (typeof onStream !== 'function') {
    return
  }

  await libp2p.unhandle(PROTOCOL)
  await libp2p.handle(PROTOCOL, (stream, connection) => {
    stream.addEventListener('close', () => {
      setTimeout(() => { stream.dispatchEvent(new Event('remoteCloseWrite')) }, LISTENS_WITHIN).unref()
    }, { once: true })

    return onStream(stream, connection)
  }, { maxInboundStreams: MAX_STREAMS, maxOutboundStreams: MAX_STREAMS })
}
