import type { Stream } from '@libp2p/interface'

/** As much as yamux allows to be under way by itself, after some round trips, 16 MiB. */
const WINDOW = 16 * 1024 * 1024

/** What is used of a stream of @libp2p/yamux besides its public interface. */
interface YamuxStream {
  /** How many bytes may be under way, all in all. */
  recvWindow: number
  /** Tells the other side how many more it may send. */
  sendWindowUpdate: () => void
}

/**
 * Let the other side send a whole message at once. A stream of yamux begins with 256 KiB
 * that may be under way, and a libp2p in JavaScript puts all of that into one frame, for
 * which the other side is told when it is here: so nothing is sent for a round trip after
 * 256 KiB, 512 KiB, 1 MiB and so on, on each new stream. Bitswap opens one for each message.
 *
 * Streams of other muxers are left as they are.
 */
export function widenWindow (stream: Stream): void {
  if (isYamux(stream)) {
    stream.recvWindow = Math.max(stream.recvWindow, WINDOW)
    stream.sendWindowUpdate()
  }
}

function isYamux (stream: object): stream is YamuxStream {
  const { recvWindow, sendWindowUpdate } = stream as Partial<YamuxStream>

  return typeof recvWindow === 'number' && typeof sendWindowUpdate === 'function'
}
