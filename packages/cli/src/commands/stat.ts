import { openFilesToRead, parseCid } from '../context.ts'
import { table } from '../output.ts'
import { formatSize } from '../units.ts'
import type { Context } from '../context.ts'

/** Show what a CID names and how it is compressed. */
export async function stat (text: string, context: Context): Promise<void> {
  const { output, signal } = context
  const cid = parseCid(text)
  const files = await openFilesToRead(context)
  const { type, codec, size, storedSize, ratio, frames, frameSize, blocks, plainCid, markedCid } = await files.stat(cid, { extended: true, signal })

  output.result({
    plainCid: plainCid.toString(),
    markedCid: markedCid?.toString(),
    type,
    codec,
    size,
    storedSize,
    ratio,
    frames,
    frameSize,
    blocks
  }, table([
    ['Plain CID', plainCid.toString()],
    ['Marked CID', markedCid?.toString() ?? 'none, it is not compressed'],
    ['Type', type],
    ['Codec', codec],
    ['Original', `${size} bytes (${formatSize(size)})`],
    ['Stored', `${storedSize} bytes (${formatSize(storedSize)})`],
    ['Ratio', ratio.toFixed(3)],
    ['Frames', frameSize == null ? String(frames) : `${frames} of ${formatSize(frameSize)}`],
    ['Blocks', String(blocks)]
  ]))
}
