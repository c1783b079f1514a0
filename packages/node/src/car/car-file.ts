import { readInput, statInput } from '../disk/read-input.ts'

/** How many bytes of a file are read at once, 64 KiB. */
const READ_SIZE = 64 * 1024

export interface CarFile {
  content: AsyncIterable<Uint8Array>
  /** Undefined for pipes. */
  size?: number
}

export async function openCarFile (path: string, signal: AbortSignal): Promise<CarFile> {
  const stats = await statInput(path)

  return {
    content: readInput(path, stats, { readSize: READ_SIZE, signal }),
    ...stats.isFile() ? { size: Number(stats.size) } : {}
  }
}

/** The same bytes, reported as they are read. */
export async function * reportPieces (
  content: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  for await (const bytes of content) {
    onBytes(bytes.byteLength)
    yield bytes
  }
}
