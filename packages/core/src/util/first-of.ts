import { raceSignal } from 'race-signal'
import { delay } from './delay.ts'

/**
 * The first of some promises to settle. Undefined: none of them did within the time.
 *
 * @param time - in milliseconds. Undefined: for ever
 */
export async function firstOf<T> (
  promises: ReadonlyArray<Promise<T>>,
  time: number | undefined,
  signal: AbortSignal
): Promise<T | undefined> {
  if (time == null) {
    return raceSignal(Promise.race(promises), signal)
  }

  const late = new AbortController()

  try {
    return await raceSignal(Promise.race([
      ...promises,
      delay(time, late.signal).then(() => undefined, () => undefined)
    ]), signal)
  } finally {
    late.abort()
  }
}
