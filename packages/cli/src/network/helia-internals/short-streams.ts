import type { BitswapMessages, WantMessage } from './bitswap-messages.ts'
import type { PeerId } from '@libp2p/interface'

/** The most bytes of blocks on one stream, 1 MiB. A larger block gets a stream of its own. */
const MAX_STREAM_SIZE = 1024 * 1024
/**
 * How many streams of one message are open at a time. A Helia gives each 10 seconds to arrive: on a
 * slow link more would miss that.
 */
const STREAMS_AT_ONCE = 3

/**
 * Makes @helia/bitswap spread the blocks of a message over streams of at most 1 MiB:
 *
 * - a Helia on the other side buffers only 4 MiB of a stream before it listens, and loses the
 *   whole stream if more arrives;
 * - a message is read only when all of it has arrived. With one block per stream the other side
 *   asks for more when the first block arrives, not the last.
 *
 * Three streams are open at a time, because opening one and learning its window takes round trips
 * in which it sends nothing.
 *
 * A peer asks again for blocks when it reconnects, so the rest of a message would be sent twice:
 *
 * - sending stops when the peer disconnects, because Helia then forgets what the peer wanted;
 * - a peer may have reconnected before its old connection is seen to be gone. A block that waits in
 *   an earlier message is then sent in the later one only.
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
