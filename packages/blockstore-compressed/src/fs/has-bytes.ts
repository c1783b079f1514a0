import { readWholeFile } from '@ipfsz/utils/read-file'
import { statPath } from './file-calls.ts'

/** Whether a file exists and has these bytes. A file of another size is not read. */
export async function hasBytes (file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const stats = await statPath(file)

    if (!stats.isFile() || stats.size !== bytes.byteLength) {
      return false
    }

    const stored = await readWholeFile(file, { max: bytes.byteLength })

    return stored != null && Buffer.compare(stored, bytes) === 0
  } catch {
    return false
  }
}
