import { shareOfBody } from './turns.ts'
import type { Memory } from './client-memory.ts'
import type { Share } from './share.ts'

/** How long a response may keep what it holds while others wait, in milliseconds: it waits for turns, too. */
const HELD_PATIENCE = 30_000

/**
 * Count what a response holds besides what it passes on, such as the blocks above the current one.
 *
 * @param uncounted - bytes that do not count
 * @param unneeded - aborted when it holds them for too long, or far too much
 * @returns to be called with the bytes that it holds from now on: 0 at the end
 */
export function holdIn (
  memory: Memory,
  uncounted: number,
  unneeded: AbortController
): (bytes: number) => void {
  let held: Share | undefined

  return bytes => {
    if (bytes <= uncounted) {
      held?.give()
      held = undefined
    } else if (held != null) {
      held.touch(HELD_PATIENCE)
      held.resize(bytes)
    } else {
      held = memory.hold({ ...shareOfBody(bytes, unneeded), patience: HELD_PATIENCE })
    }
  }
}
