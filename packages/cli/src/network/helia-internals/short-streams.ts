import { NodeError } from '../../errors.ts'
import type { PeerId } from '@libp2p/interface'

/** The most bytes of blocks on one stream, 1 MiB, unless one block alone has more. */
const MAX_STREAM_SIZE = 1024 * 1024
/** How many streams a message is sent on at one time. Helia waits 10 seconds for each: more would be lost on slow links. */
const STREAMS_AT_ONCE = 3

/** A message as Helia's queue has it, by multihashes in base64. */
export interface Message {
  wantlist: Map<string, unknown>
  blocks: Map<string, { data: Uint8Array }>
  blockPresences: Map<string, unknown>
}

interface Network {
  sendMessage (peer: PeerId, message: Message, options?: unknown): Promise<void>
  addEventListener (type: 'peer:disconnected', listener: (event: CustomEvent<PeerId>) => void): void
  removeEventListener (type: 'peer:disconnected', listener: (event: CustomEvent<PeerId>) => void): void
}

/**
 * Let Helia's Bitswap send each block on a stream of its own, where it is not small:
 *
 * - a Helia on the other side keeps only 4 MiB of a stream before it listens, and would
 *   lose all of it;
 * - all of a message arrives at once, and who asks by what arrives asks for the next
 *   blocks when the first has come rather than when the last has.
 *
 * A few streams are sent on at one time, since nothing is sent on one in the round trips
 * that it takes to open it and to hear how much it may take.
 *
 * A message ends with the connection that it began on. Helia forgets then what the peer
 * wanted, and the peer asks again when it is back: what is left of the message would
 * come a second time.
 *
 * @param broker - as `withBitswap` of @helia/bitswap makes it
 * @throws {NodeError} it is of a version that is not known here
 */
export function shortenStreams (broker: unknown): void {
  const network = (broker as { bitswap?: { network?: Network } } | undefined)?.bitswap?.network

  if (typeof network?.sendMessage !== 'function') {
    throw new NodeError('@helia/bitswap is of a version that this ipfsz does not know')
  }

  const send = network.sendMessage.bind(network)

  network.sendMessage = async (peer, message, options) => {
    const sending: Array<Promise<void>> = []
    let gone = false
    const onDisconnected = ({ detail }: CustomEvent<PeerId>): void => { gone ||= detail.equals(peer) }

    network.addEventListener('peer:disconnected', onDisconnected)

    try {
      for (const part of split(message)) {
        if (gone) {
          break
        }

        const sent = send(peer, part, options)

        // it is waited for later
        sent.catch(() => {})
        sending.push(sent)

        if (sending.length === STREAMS_AT_ONCE) {
          await sending.shift()
        }
      }

      await Promise.all(sending)
    } finally {
      network.removeEventListener('peer:disconnected', onDisconnected)
    }
  }
}

/** What is asked for and what is said go with the first blocks. */
function * split (message: Message): Generator<Message> {
  let part = { ...message, blocks: new Map<string, { data: Uint8Array }>() }
  let size = 0

  for (const [key, block] of message.blocks) {
    if (part.blocks.size > 0 && size + block.data.byteLength > MAX_STREAM_SIZE) {
      yield part
      part = { ...message, wantlist: new Map(), blocks: new Map(), blockPresences: new Map() }
      size = 0
    }

    part.blocks.set(key, block)
    size += block.data.byteLength
  }

  yield part
}
