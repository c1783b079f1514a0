import { rm } from 'node:fs/promises'
import { platform } from 'node:process'
import { setTimeout } from 'node:timers/promises'

/** What Windows says while another program, such as a virus scanner, has a file open without sharing it. */
const IN_USE: ReadonlySet<unknown> = new Set(['EACCES', 'EBUSY', 'EPERM'])

/** Milliseconds to wait before each further try, together some two seconds: scanners look at a new file that long. */
const WAITS = [10, 20, 50, 100, 200, 300, 600, 800]

/**
 * Rename or delete a file, on Windows again and again while another program has it, or what it replaces, open. Other
 * systems let go of a file that is open, so there it is tried once.
 *
 * @param work - the rename or the deletion
 * @param system - as `process.platform`
 */
export async function retryWhileOpen<T> (work: () => T | Promise<T>, system: string = platform): Promise<T> {
  for (const wait of system === 'win32' ? WAITS : []) {
    try {
      return await work()
    } catch (err) {
      if (!(err instanceof Error) || !('code' in err) || !IN_USE.has(err.code)) {
        throw err
      }

      await setTimeout(wait)
    }
  }

  return work()
}

/** Delete a file, if there is one: on Windows once other programs have closed it. */
export async function removeFile (path: string): Promise<void> {
  await retryWhileOpen(async () => rm(path, { force: true }))
}
