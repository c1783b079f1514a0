import { readUint32 } from '../format/bytes/little-endian.ts'
import type { StreamInput } from './stream-input.ts'

/** What a skippable frame begins with, of Zstandard and LZ4 alike, but for the lowest four bits (RFC 8878, section 3.1.2). */
const SKIPPABLE_MAGIC = 0x184d2a50

export function isSkippable (magic: number): boolean {
  return (magic & 0xfffffff0) === SKIPPABLE_MAGIC
}

/** Pass over a skippable frame, however long it says to be. */
export async function skipSkippable (input: StreamInput): Promise<void> {
  const header = await input.read(8)

  await input.skip(readUint32(header, 4))
}
