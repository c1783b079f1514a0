import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { openFilesToRead } from '../context.ts'
import { markedTwin } from '../marked-twins.ts'
import { table } from '../output.ts'
import { parseTarget } from '../target.ts'
import { formatSize } from '../units.ts'
import { typeOf } from './ls.ts'
import type { Context } from '../context.ts'

export interface StatCommandOptions {
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
}

/** Show what a CID names and how it is compressed. */
export async function stat (text: string, { maxWindow: maxWindowSize }: StatCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const { cid, path } = parseTarget(text)
  const files = await openFilesToRead(context)
  // what is not here is left out: a part of a file has sizes too
  const stats = await files.stat(cid, { path, extended: true, offline: true, signal, maxWindowSize })
  const { codec, size, storedSize, frames, frameSize, blocks, plainCid } = stats
  const type = typeOf(stats)
  const directory = type === 'directory'
  // what is below a marked CID is read as that is
  const markedCid = directory ? isMarked(cid) ? mark(plainCid, TREE_CODE) : await markedTwin(plainCid, files, signal) : stats.markedCid
  // all files of a directory have been counted
  const ratio = directory && size > 0n ? Number(storedSize) / Number(size) : stats.ratio

  output.result({
    plainCid: plainCid.toString(),
    markedCid: markedCid?.toString(),
    type,
    codec: directory ? undefined : codec,
    size,
    storedSize,
    ratio,
    frames: directory ? undefined : frames,
    frameSize,
    blocks
  }, table([
    ['Plain CID', plainCid.toString()],
    ['Marked CID', markedCid?.toString() ?? 'none, it is not compressed'],
    ['Type', type],
    ['Codec', directory ? 'of each file its own, see ipfsz ls' : codec],
    ['Original', `${size} bytes (${formatSize(size)})`],
    ['Stored', `${storedSize} bytes (${formatSize(storedSize)})`],
    ['Ratio', ratio.toFixed(3)],
    ...directory ? [] : [['Frames', frameSize == null ? String(frames) : `${frames} of ${formatSize(frameSize)}`]],
    ['Blocks', String(blocks)]
  ]))
}
