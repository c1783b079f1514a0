import { BITSWAP } from './bitswap-messages.ts'
import type { BitswapMessages, WantMessage } from './bitswap-messages.ts'
import type { Libp2p, PeerId, Stream } from '@libp2p/interface'

/** Maximum bytes of blocks in one message, 1 MiB. A larger block gets its own. A stream ends after as many. */
const MAX_STREAM_SIZE = 1024 * 1024
/** How many streams of one message are open. A Helia gives each 10 seconds: on a slow link more would miss that. */
const STREAMS_AT_ONCE = 3
/** How long a stream waits for another message, in milliseconds. A Helia resets one that is silent for 10 seconds. */
const IDLE = 5_000

/**
 * Makes @helia/bitswap spread the blocks of a message over streams of at most 1 MiB:
 *
 * - a Helia on the other side buffers only 4 MiB of a stream before it listens, and loses it if more arrives;
 * - a message is read only when all of it has arrived. With one block per stream the other side asks for more when the
 *   first block arrives, not the last.
 *
 * Three streams are open at a time, because one that learns its window sends nothing meanwhile.
 *
 * A peer asks again for blocks when it reconnects, so the rest of a message would be sent twice:
 *
 * - sending stops when the peer disconnects, because Helia then forgets what the peer wanted;
 * - a peer may have reconnected before its old connection is seen to be gone. A block that waits in an earlier message
 *   is then sent in the later one only.
 */
export function shortenStreams (
  network: Pick<BitswapMessages['network'], 'sendMessage' | 'addEventListener' | 'removeEventListener'>
): void {
  const send = network.sendMessage.bind(network)
  /** The messages that are being sent to each peer, with the blocks that wait. */
  const messages = new Map<string, Set<WantMessage>>()

  network.sendMessage = async (peer, message, options) => {
    const sending: Array<Promise<unknown>> = []
    const waiting = { ...message, blocks: new Map(message.blocks) }
    const earlier = messages.get(peer.toString()) ?? new Set()
    let gone = false

    for (const key of message.blocks.keys()) {
      earlier.forEach(({ blocks }) => { blocks.delete(key) })
    }

    messages.set(peer.toString(), earlier.add(waiting))
    const onDisconnected = ({ detail }: CustomEvent<PeerId>): void => { gone ||= detail.equals(peer) }

    network.addEventListener('peer:disconnected', onDisconnected)

    try {
      for (const part of split(waiting)) {
        if (gone) {
          break
        }

        const sent = send(peer, part, options)

        // awaited below; until then a rejection must not be unhandled
        sent.catch(() => {})
        sending.push(sent)

        if (sending.length === STREAMS_AT_ONCE) {
          await sending.shift()
        }
      }

      await Promise.all(sending)
    } finally {
      network.removeEventListener('peer:disconnected', onDisconnected)
      earlier.delete(waiting)

      if (earlier.size === 0) {
        messages.delete(peer.toString())
      }
    }
  }
}

/** Wants and presences go with the first blocks. Blocks that are deleted from the message meanwhile are left out. */
function * split (message: WantMessage): Generator<WantMessage> {
  let part = { ...message, blocks: new Map() as WantMessage['blocks'] }
  let size = 0

  for (const [key, block] of message.blocks) {
    if (part.blocks.size > 0 && size + block.data.byteLength > MAX_STREAM_SIZE) {
      yield part
      part = { ...message, wantlist: new Map(), blocks: new Map(), blockPresences: new Map() }
      size = 0

      if (!message.blocks.has(key)) {
        continue
      }
    }

    part.blocks.set(key, block)
    size += block.data.byteLength
  }

  if (part.blocks.size > 0 || part.wantlist.size > 0 || part.blockPresences.size > 0) {
    yield part
  }
}

/**
 * Makes @helia/bitswap send its next message to a peer on the same stream, as Kubo does. With a stream for each, three
 * of four packets of a small file were those of opening and ending streams.
 */
export function keepStreams (libp2p: Pick<Libp2p, 'dialProtocol'>): void {
  const dial = libp2p.dialProtocol.bind(libp2p)
  /** The streams that wait for a message, by peer. */
  const kept = new Map<string, Stream>()

  libp2p.dialProtocol = async (peer, protocol, options) => {
    if (protocol !== BITSWAP) {
      return dial(peer, protocol, options)
    }

    const id = peer.toString()
    const waiting = kept.get(id)
    kept.delete(id)

    return waiting?.writeStatus === 'writable' ? waiting : keep(await dial(peer, protocol, options), id, kept)
  }
}

/** Makes a stream wait for the next message where it would be closed, if it is the only one for its peer. */
function keep (stream: Stream, id: string, kept: Map<string, Stream>): Stream {
  const [send, close] = [stream.send.bind(stream), stream.close.bind(stream)]
  let left = MAX_STREAM_SIZE
  const timer = setTimeout(() => {
    if (kept.get(id) === stream) {
      kept.delete(id)
      close().catch(() => {})
    }
  }, IDLE).unref()

  stream.send = data => {
    left -= data.byteLength

    return send(data)
  }

  stream.close = async options => {
    // its connection closes, if it is this one
    if (left <= 0 || kept.has(id)) {
      return close(options)
    }

    kept.set(id, stream)
    timer.refresh()
  }

  return stream
}
