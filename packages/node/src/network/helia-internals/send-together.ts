import type { MessageStream } from '@libp2p/interface'
import type { Socket } from 'node:net'

type Corked = Pick<Socket, 'cork' | 'uncork'>

/**
 * Make a TCP connection of libp2p send in one packet what it is given in one turn of the event loop. By itself it
 * writes each part on its own, even the two bytes of the length before each encrypted message: to ask a peer for a
 * block took 16 packets.
 *
 * Does nothing for connections of other kinds.
 */
export function sendTogether (connection: MessageStream): void {
  const socket = socketOf(connection)

  if (socket == null) {
    return
  }

  // private in @libp2p/utils, and called by its `send`
  const inner = connection as unknown as { sendData (data: unknown): unknown }
  const sendData = inner.sendData.bind(connection)
  let corked = false

  inner.sendData = data => {
    if (!corked) {
      corked = true
      socket.cork()
      process.nextTick(() => {
        corked = false
        socket.uncork()
      })
    }

    return sendData(data)
  }
}

/** The socket of @libp2p/tcp, a private field. */
function socketOf (connection: MessageStream): Corked | undefined {
  const { socket, sendData } = connection as { socket?: Partial<Corked>, sendData?: unknown }

  return typeof sendData === 'function' && typeof socket?.cork === 'function' && typeof socket.uncork === 'function'
    ? socket as Corked
    : undefined
}
