import { readUint32 } from '../format/bytes/little-endian.ts'
import type { StreamInput } from './stream-input.ts'

/** The magic number of skippable frames in Zstandard and LZ4, without its low four bits (RFC 8878, section 3.1.2). */
const SKIPPABLE_MAGIC = 0x184d2a50

export function isSkippable (magic: number): boolean {
  return (magic & 0xfffffff0) === SKIPPABLE_MAGIC
}

/** Skip a skippable frame of any length. */
export async function skipSkippable (input: StreamInput): Promise<void> {
  const header = await input.read(8)

  await input.skip(readUint32(header, 4))
}
