// Room: missing blocks. A read enters at `fetching-blockstore.ts`. Only `block-fetcher.ts` gives a block up, after the
// one timeout of a fetch; `stall-detector.ts` tells all others whether anything still arrives.
import { raceSignal } from 'race-signal'
import { delay } from '../util/delay.ts'
import { NO_LONGER_NEEDED } from '../util/no-longer-needed.ts'
import { StallDetector } from './stall-detector.ts'

export interface AskInTurnInit<C, T> {
  /** Whom to ask next, besides those that are asked already. Undefined: nobody now. */
  next: (asked: ReadonlyMap<C, unknown>) => C | undefined
  /** @param stop - aborted once another one was first */
  ask: (candidate: C, stop: AbortController) => Promise<T>
  onFailed: (candidate: C, err: Error) => void
  /** Called when those that are asked have kept silent. */
  onSilent?: ((asked: Iterable<C>) => void) | undefined
  /**
   * Called when nobody is asked, and nobody can be now. Returns after how many milliseconds somebody can.
   *
   * @throws {Error} nobody ever can
   */
  onNobody: () => number
  /** After how many milliseconds of silence the next one is asked too. Undefined: once those before have failed. */
  pause: number | undefined
  signal: AbortSignal
}

export interface Answer<C, T> {
  candidate: C
  value: T
  /** Whether one that was asked before has not answered. */
  hasOvertaken: boolean
}

/** A request under way. `outcome` never rejects. */
interface Asked<C, T> {
  stop: AbortController
  outcome: Promise<{ candidate: C, value: T } | { candidate: C, err: Error }>
}

/**
 * Ask one after the other until one gives a result: sources for a block, or gateways for a response. The next one is
 * asked once one has failed, or all that are asked have kept silent for a while. The first result counts.
 */
export async function askInTurn<C, T> (init: AskInTurnInit<C, T>): Promise<Answer<C, T>> {
  const { next, ask, onFailed, onSilent, onNobody, pause, signal } = init
  const asked = new Map<C, Asked<C, T>>()
  let isTime = true

  try {
    for (;;) {
      signal.throwIfAborted()
      const candidate = next(asked)

      if (candidate != null && isTime) {
        const stop = new AbortController()
        const outcome = ask(candidate, stop)
          .then(value => ({ candidate, value }), (err: Error) => {
            // what it has begun
            stop.abort(NO_LONGER_NEEDED)

            return { candidate, err }
          })
        asked.set(candidate, { stop, outcome })
        isTime = false
      } else if (asked.size === 0) {
        await delay(onNobody(), signal)
        continue
      }

      const isLast = next(asked) == null
      const first = await firstOf([...asked.values()], isLast ? undefined : pause, signal)

      if (first == null) {
        onSilent?.(asked.keys())
        isTime = true
        continue
      }

      const [oldest] = asked.keys()
      asked.delete(first.candidate)

      if ('value' in first) {
        return { ...first, hasOvertaken: first.candidate !== oldest }
      }

      signal.throwIfAborted()
      onFailed(first.candidate, first.err)
      isTime = true
    }
  } finally {
    asked.forEach(({ stop }) => { stop.abort(NO_LONGER_NEEDED) })
  }
}

/** What comes first of some requests. Undefined: nothing within the time. */
async function firstOf<C, T> (
  asked: ReadonlyArray<Asked<C, T>>,
  time: number | undefined,
  signal: AbortSignal
): Promise<Awaited<Asked<C, T>['outcome']> | undefined> {
  const silent = Promise.withResolvers<undefined>()
  const unwatch = time == null ? () => {} : new StallDetector().watch(time, () => { silent.resolve(undefined) })

  try {
    return await raceSignal(Promise.race([...asked.map(({ outcome }) => outcome), silent.promise]), signal)
  } finally {
    unwatch()
  }
}
