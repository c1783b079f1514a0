import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { openRegularFile } from '@ipfsz/utils/open-regular-file'

const READ_SIZE = 1024 * 1024

/** Copy a file of another program to a new path. */
export async function copyRegularFile (path: string, to: string, signal: AbortSignal): Promise<void> {
  const handle = await openRegularFile(path, { follow: false })

  try {
    await pipeline(
      handle.createReadStream({ autoClose: false, highWaterMark: READ_SIZE }),
      createWriteStream(to, { flags: 'wx', highWaterMark: READ_SIZE }),
      { signal }
    )
  } finally {
    await handle.close()
  }
}
