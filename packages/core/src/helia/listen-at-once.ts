import { unheldTimeout } from '../util/unheld-timeout.ts'
import { widenWindow } from './widen-window.ts'
import type { Libp2p, StreamHandler, StreamHandlerRecord } from '@libp2p/interface'

const BITSWAP = '/ipfs/bitswap/1.2.0'
/** How long @helia/bitswap may take to listen to a stream, in milliseconds. */
const LISTENS_WITHIN = 100

const ours = new WeakSet<StreamHandler>()

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
 * Does nothing for a node without Bitswap, or if the private field that has its handler is gone. A middleware of
 * libp2p would need none, but makes each stream call the handlers of those before it (docs/upstream.md).
 */
export function listenAtOnce (libp2p: Pick<Libp2p, 'getProtocols' | 'handle'>): void {
  const record = libp2p.getProtocols().includes(BITSWAP) ? recordOf(libp2p) : undefined

  if (typeof record?.handler !== 'function' || ours.has(record.handler)) {
    return
  }

  const handler: StreamHandler = (stream, connection) => {
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
      unheldTimeout(() => { stream.dispatchEvent(new Event('remoteCloseWrite')) }, LISTENS_WITHIN)
    }, { once: true })

    return record.handler(stream, connection)
  }

  ours.add(handler)
  // takes effect at once. Then it stores that the node speaks the protocol, which Bitswap did before
  libp2p.handle(BITSWAP, handler, { ...record.options, force: true }).catch(() => {})
}

/** The handler of Bitswap and its limits. */
function recordOf (libp2p: object): StreamHandlerRecord | undefined {
  const { registrar } = (libp2p as PrivateFields).components ?? {}

  return registrar?.getHandler?.(BITSWAP)
}

/** A private field of libp2p. */
interface PrivateFields {
  components?: { registrar?: { getHandler?: (protocol: string) => StreamHandlerRecord } }
}
