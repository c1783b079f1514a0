import { DEFAULT_IN_FLIGHT_BYTES } from '@ipfsz/core'
import { fullDiskError, noteNeededBytes } from '@ipfsz/utils/system-error'
import type { StepProgress } from '../events.ts'

/** How long an error waits until it is known how much there was to store, in milliseconds. */
const MAX_WAIT = 5000

/**
 * Add files, and note how much of them was not stored if that fails for lack of space.
 *
 * @param measure - gives the bytes of the files. Undefined for a stream, of which nobody knows
 * @param progress - of the bytes that are read
 */
export async function notingNeeded<T> (
  measure: ((signal: AbortSignal) => Promise<number>) | undefined,
  progress: Pick<StepProgress, 'update' | 'end'>,
  signal: AbortSignal,
  add: (progress: Pick<StepProgress, 'update' | 'end'>) => Promise<T>
): Promise<T> {
  let read = 0

  try {
    return await add({
      update (bytes) {
        read = bytes
        progress.update(bytes)
      },
      end () { progress.end() }
    })
  } catch (err) {
    if (err instanceof Error && fullDiskError(err) != null) {
      const size = await measure?.(AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT)])).catch(() => undefined)
      // what was read last may not be stored, and all before takes no more than it did
      const stored = Math.max(0, read - DEFAULT_IN_FLIGHT_BYTES)

      if (size != null) {
        noteNeededBytes(err, Math.max(0, size - stored))
      }
    }

    throw err
  }
}
