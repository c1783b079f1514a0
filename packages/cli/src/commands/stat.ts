import { readableWith } from '@ipfsz/core'
import { statTarget } from '@ipfsz/node/read'
import { nodeContext } from '../context.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { phraseCell, sizeText } from '../terminal/row.ts'
import { LateProgress } from '../terminal/progress.ts'
import { formatSize } from '../terminal/units.ts'
import { typeOf } from './ls.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { ExtendedStats } from '@ipfsz/core'

export interface StatCommandOptions {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

export async function stat (text: string, { maxWindow }: StatCommandOptions, context: Context): Promise<void> {
  const { output } = context
  const progress = new LateProgress(() => output.progress(text))

  try {
    show(await statTarget(nodeContext(context), text, {
      maxWindowSize: maxWindow,
      onProgress: noteLinks(output),
      onBytes: bytes => { progress.add(bytes) }
    }), context)
  } finally {
    progress.end()
  }
}

function show (stats: ExtendedStats, { output }: Context): void {
  const { codec, size, sizeKnown, storedSize, fetchSize, ratio, frames, frameSize, plainCid, filters, base } = stats
  const { uniqueBlocks: blocks, markedCid } = stats
  const type = typeOf(stats)
  const directory = type === 'directory'
  const others = readableWith(stats)
  const forOthers = others == null ? 'can pin it, but only IPFSz can read it' : `can read it with ${others}`

  output.labelled({
    plainCid: plainCid.toString(),
    markedCid: markedCid?.toString(),
    type,
    codec,
    size,
    storedSize,
    fetchSize,
    ratio,
    frames: directory ? undefined : frames,
    frameSize,
    filters: filters?.map(nameOf),
    base: base?.toString(),
    blocks
  }, [
    ['Plain CID', plainCid.toString()],
    ['Marked CID', markedCid?.toString() ?? phraseCell('none (not compressed)', ['-'])],
    ['Type', type],
    ['Codec', codec ?? phraseCell(output.typed('see ipfsz ls for each file'), ['-'])],
    [sizeKnown === false ? 'Original, at least' : 'Original', sizeText(size)],
    ['Stored', sizeText(storedSize)],
    // a base is stored once for all files that refer to it
    ...fetchSize === storedSize ? [] : [['With bases', sizeText(fetchSize)] as const],
    ['Ratio', ratio.toFixed(3)],
    ...directory ? [] : [['Frames', framesCell(stats)] as const],
    ...filters == null ? [] : [['Filters', filtersCell(filters)] as const],
    ...base == null ? [] : [['Base', base.toString()] as const],
    ...codec == null || codec === 'none' || directory
      ? []
      : [['Others', phraseCell(forOthers, [others ?? '-'])] as const],
    ['Blocks', String(blocks)]
  ])
}

function filtersCell (filters: NonNullable<ExtendedStats['filters']>): Cell {
  return phraseCell(filters.map(({ kind, width }) => `${kind} ${width}`).join(', '), filters.map(nameOf))
}

function nameOf ({ kind, width }: NonNullable<ExtendedStats['filters']>[number]): string {
  return `${kind}-${width}`
}

function framesCell ({ frames, frameSize, size }: ExtendedStats): Cell {
  if (frameSize == null) {
    return String(frames)
  }

  // frames that are cut by content are more than the size needs
  const upTo = frames > Math.ceil(Number(size) / frameSize) ? 'up to ' : ''

  return phraseCell(`${frames} of ${upTo}${formatSize(frameSize)}`, [frames, frameSize])
}
