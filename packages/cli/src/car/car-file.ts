import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** The bytes of a CAR. */
export interface CarFile {
  content: AsyncIterable<Uint8Array>
  /** Undefined for pipes. */
  size?: number
}

export async function openCarFile (path: string, signal: AbortSignal): Promise<CarFile> {
  const stats = await stat(path)

  return { content: createReadStream(path, { signal }), ...stats.isFile() ? { size: stats.size } : {} }
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
