import type { FetchWindow } from './fetch-window.ts'
import type { FetchSettings } from './init.ts'

/** Milliseconds after which a block that already stalled counts as stalled again. Doubles each time. */
const STALLED_AGAIN = 2500

/**
 * Milliseconds after which a request for a block counts as stalled. A block queued behind others
 * gets more time, but is requested again after half of the timeout, in case the request was lost.
 * It gets even more if the block alone takes that long.
 *
 * @param stalls - how often the block has stalled
 * @param size - bytes of the block
 */
export function stallTime (
  window: Pick<FetchWindow, 'backlog' | 'timeOf'>,
  { stallTimeout, timeout }: FetchSettings,
  stalls: number,
  size: number
): number {
  const time = stalls === 0 ? stallTimeout : Math.min(stallTimeout, STALLED_AGAIN * 2 ** (stalls - 1))
  const latest = Math.max(timeout / 2, window.timeOf(size) * 2)

  return Math.max(time, Math.min(window.backlog * 3, latest))
}

/**
 * Call back when nothing arrived for `time`, or this block did not arrive for three times as long.
 *
 * @returns a function that ends this
 */
export function watchForStall (
  window: Pick<FetchWindow, 'lastArrival' | 'now'>,
  time: number,
  onStalled: () => void
): () => void {
  const started = window.now()
  const left = (): number => Math.min(Math.max(started, window.lastArrival) + time, started + time * 3) - window.now()
  let timer: ReturnType<typeof setTimeout>

  const wait = (): void => {
    const rest = left()

    if (rest > 0) {
      timer = setTimeout(wait, rest)
    } else {
      onStalled()
    }
  }

  wait()

  return () => { clearTimeout(timer) }
}
