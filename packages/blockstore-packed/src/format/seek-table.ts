/** zstd's seekable format: a skippable frame at the end of the file. */
const SKIPPABLE = 0x184d2a5e
const MAGIC = 0x8f92eab1

/**
 * @param frames - stored and original size of each frame, skippable ones too: the offset of a frame is the sum of the
 *   stored sizes before it
 */
export function encodeSeekTable (frames: ReadonlyArray<readonly [stored: number, original: number]>): Buffer {
  const bytes = Buffer.alloc(8 + frames.length * 8 + 9)
  bytes.writeUInt32LE(SKIPPABLE, 0)
  bytes.writeUInt32LE(bytes.byteLength - 8, 4)
  let at = 8

  for (const [stored, original] of frames) {
    bytes.writeUInt32LE(stored, at)
    bytes.writeUInt32LE(original, at + 4)
    at += 8
  }

  bytes.writeUInt32LE(frames.length, at)
  bytes.writeUInt32LE(MAGIC, at + 5)

  return bytes
}
