import { readFile } from 'node:fs/promises'
import { statPath } from './file-calls.ts'

/** Whether a file exists and has these bytes. A file of another size is not read. */
export async function hasBytes (file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const stats = await statPath(file)

    return stats.isFile() && stats.size === bytes.byteLength && (await readFile(file)).equals(bytes)
  } catch {
    return false
  }
}
