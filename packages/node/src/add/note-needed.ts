import { DEFAULT_IN_FLIGHT_BYTES } from '@ipfsz/core'
import { sizeBelow } from '../disk/size-below.ts'
import { fullDiskError, noteNeededBytes } from '@ipfsz/utils/system-error'
import type { StepProgress } from '../events.ts'

/**
 * Add files, and note how much of them was not stored if that fails for lack of space.
 *
 * @param inputs - the files and directories. None for a stream, whose size nobody knows
 * @param progress - of the bytes that are read
 */
export async function notingNeeded<T> (
  inputs: readonly string[],
  progress: StepProgress,
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
    if (err instanceof Error && inputs.length > 0 && fullDiskError(err) != null) {
      const sizes = await Promise.all(inputs.map(async path => sizeBelow(path, signal)))
      // what was read last may not be stored, and all before takes no more than it did
      const stored = Math.max(0, read - DEFAULT_IN_FLIGHT_BYTES)

      if (sizes.every(size => size != null)) {
        noteNeededBytes(err, Math.max(0, sizes.reduce((sum, size) => sum + size, 0) - stored))
      }
    }

    throw err
  }
}
