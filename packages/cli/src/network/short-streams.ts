import { NodeError } from '../errors.ts'

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

type SendMessage = (peer: unknown, message: Message, options?: unknown) => Promise<void>

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
 * @param broker - as `withBitswap` of @helia/bitswap makes it
 * @throws {NodeError} it is of a version that is not known here
 */
export function shortenStreams (broker: unknown): void {
  const network = (broker as { bitswap?: { network?: { sendMessage?: SendMessage } } } | undefined)?.bitswap?.network

  if (typeof network?.sendMessage !== 'function') {
    throw new NodeError('@helia/bitswap is of a version that this ipfsz does not know')
  }

  const send = network.sendMessage.bind(network)

  network.sendMessage = async (peer, message, options) => {
    const sending: Array<Promise<void>> = []

    for (const part of split(message)) {
      const sent = send(peer, part, options)

      // it is waited for later
      sent.catch(() => {})
      sending.push(sent)

      if (sending.length === STREAMS_AT_ONCE) {
        await sending.shift()
      }
    }

    await Promise.all(sending)
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
