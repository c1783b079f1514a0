import { sleep } from '../clock.ts'
import { isStoreAway } from './store-away.ts'
import type { Clock } from '../clock.ts'
import type { AbortOptions, ObjectStore } from './object-store.ts'

/** How often it is tried, each time with another key. */
const ATTEMPTS = 6
/** How long to wait after the first attempt, in milliseconds. It doubles with each. */
const FIRST_WAIT = 100

/** An object that is written once. */
interface NewObject {
  key: string
  bytes: Uint8Array
}

/**
 * Write an object whose being there means something. Each key is sent once at most, as one that was sent again could
 * come back after it was deleted: whatever becomes of the first request, it can arrive much later.
 *
 * @param make - makes the object, with another key each time
 * @returns the one that was written
 */
export async function putOnce<T extends NewObject> (
  store: Pick<ObjectStore, 'put'>,
  make: () => T,
  { clock, attempts = ATTEMPTS, signal }: AbortOptions & { clock: Clock, attempts?: number }
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const made = make()

    try {
      await store.put(made.key, made.bytes, { signal, isSentOnce: true })

      return made
    } catch (err) {
      if (attempt + 1 === attempts || !isStoreAway(err)) {
        throw err
      }
    }

    await sleep(clock, FIRST_WAIT * 2 ** attempt, signal)
  }
}
