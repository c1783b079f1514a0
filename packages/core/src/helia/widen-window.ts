/** The receive window that yamux itself grows to after some round trips, 16 MiB. */
const WINDOW = 16 * 1024 * 1024

/** The private fields of a stream of @libp2p/yamux that set its receive window. */
interface YamuxStream {
  /** How many bytes the other side may send before we acknowledge any. */
  recvWindow: number
  /** How many of them it has not sent. */
  recvWindowCapacity: number
  /** Tells the other side how many more bytes it may send. */
  sendWindowUpdate: () => void
}

/**
 * Lets the other side send a whole message without waiting for us. A yamux stream starts with a window of 256 KiB.
 * js-libp2p sends a window as one frame, and yamux acknowledges a frame only when all of it has arrived. So each new
 * stream waits a round trip after 256 KiB, 512 KiB, 1 MiB and so on. It acknowledges each frame, too, however small:
 * here, a quarter of the window at a time.
 *
 * Streams of other muxers are left alone.
 */
export function widenWindow (stream: object): void {
  if (isYamux(stream)) {
    const update = stream.sendWindowUpdate.bind(stream)
    stream.recvWindow = Math.max(stream.recvWindow, WINDOW)
    update()
    stream.sendWindowUpdate = () => {
      if (stream.recvWindowCapacity < WINDOW * 3 / 4) {
        update()
      }
    }
  }
}

function isYamux (stream: object): stream is YamuxStream {
  const { recvWindow, recvWindowCapacity, sendWindowUpdate } = stream as Partial<YamuxStream>

  return typeof recvWindow === 'number' && typeof recvWindowCapacity === 'number' &&
    typeof sendWindowUpdate === 'function'
}
