import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum number of entries that are counted: an error waits for it. */
const MAX_ENTRIES = 100_000

/**
 * Bytes of a file, or of all files below a directory. What cannot be read counts nothing.
 *
 * @returns undefined if there are more entries than 100,000
 */
export async function sizeBelow (path: string, signal: AbortSignal): Promise<number | undefined> {
  const waiting = [path]
  let size = 0

  for (let entries = 0; entries < waiting.length; entries++) {
    signal.throwIfAborted()

    if (waiting.length > MAX_ENTRIES) {
      return undefined
    }

    const stats = await lstat(waiting[entries]).catch(() => undefined)

    if (stats?.isDirectory() === true) {
      for await (const { name } of await opendir(waiting[entries])) {
        waiting.push(join(waiting[entries], name))

        if (waiting.length > MAX_ENTRIES) {
          break
        }
      }
    } else {
      size += stats?.size ?? 0
    }
  }

  return size
}
