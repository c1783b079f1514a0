import { readableWith } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { withTarget } from './read-target.ts'
import { viewOf } from '@ipfsz/node/internal/dag/view-of'
import { reportReads } from '@ipfsz/node/internal/repo/report-reads'
import { noteLinks } from '../terminal/note-links.ts'
import { phraseCell, sizeText } from '../terminal/row.ts'
import { LateProgress } from '../terminal/progress.ts'
import { formatSize } from '../terminal/units.ts'
import { typeOf } from './ls.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { Ipfsz, IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface StatCommandOptions {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

/** Show type, sizes and codec of what a CID names. */
export async function stat (text: string, options: StatCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const progress = new LateProgress(() => output.progress(text))
  const onBytes = (bytes: number): void => { progress.add(bytes) }

  try {
    await withTarget(text, context, { scope: 'block' }, async (target, { repo, files, filesOn, online }) => {
      const blockstore = reportReads(repo.blockstore, onBytes)

      if (!online) {
        await show(target, filesOn(blockstore), true, options, context)
        return
      }

      const { type } = await files.stat(target.cid, { path: target.path, signal })

      // do not fetch leaves: their parents state their sizes
      await show(target, filesOn(withLeaves(blockstore, target.cid)), type !== 'directory', options, context)
    })
  } finally {
    progress.end()
  }
}

/** @param offline - use only blocks of the repo: a file with missing leaves has sizes too */
async function show (
  { cid, path }: CidPath,
  files: Ipfsz,
  offline: boolean,
  { maxWindow: maxWindowSize }: StatCommandOptions,
  { output, signal }: Context
): Promise<void> {
  const stats = await files.stat(
    cid,
    { path, extended: true, offline, signal, maxWindowSize, onProgress: noteLinks(output) }
  )
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
    filters: filters?.map(({ kind, width }) => `${kind}-${width}`),
    base: base?.toString(),
    blocks
  }, [
    ['Plain CID', plainCid.toString()],
    ['Marked CID', markedCid?.toString() ?? 'none (not compressed)'],
    ['Type', type],
    ['Codec', codec ?? output.typed('see ipfsz ls for each file')],
    [sizeKnown === false ? 'Original, at least' : 'Original', sizeText(size)],
    ['Stored', sizeText(storedSize)],
    // a base is stored once for all files that refer to it
    ...fetchSize === storedSize ? [] : [['With bases', sizeText(fetchSize)] as const],
    ['Ratio', ratio.toFixed(3)],
    ...directory ? [] : [['Frames', framesCell(stats)] as const],
    ...filters == null ? [] : [['Filters', filters.map(({ kind, width }) => `${kind} ${width}`).join(', ')] as const],
    ...base == null ? [] : [['Base', base.toString()] as const],
    ...codec == null || codec === 'none' || directory ? [] : [['Others', forOthers] as const],
    ['Blocks', String(blocks)]
  ])
}

type Frames = Pick<Awaited<ReturnType<Ipfsz['stat']>>, 'frames' | 'frameSize' | 'size'>

function framesCell ({ frames, frameSize, size }: Frames): Cell {
  if (frameSize == null) {
    return String(frames)
  }

  // frames that are cut by content are more than the size needs
  const upTo = frames > Math.ceil(Number(size) / frameSize) ? 'up to ' : ''

  return phraseCell(`${frames} of ${upTo}${formatSize(frameSize)}`, [frames, frameSize])
}

/** A blockstore that claims to have every leaf below a root, because a parent states the size of its leaves. */
function withLeaves (blockstore: IpfszComponents['blockstore'], root: CID): IpfszComponents['blockstore'] {
  return viewOf(blockstore, {
    has: (cid, options) => (cid.code === raw.code && !cid.equals(root)) || blockstore.has(cid, options)
  })
}
