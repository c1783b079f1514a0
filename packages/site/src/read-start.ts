import { openRegularFile } from '@ipfsz/utils/open-regular-file'

/** How much of a page or script is searched for the files that it needs, in bytes: 1 MiB. */
const MAX_READ = 1024 * 1024

/** The beginning of a text file. */
export async function readStart (path: string): Promise<string> {
  const file = await openRegularFile(path)

  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(MAX_READ), 0, MAX_READ, 0)

    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
