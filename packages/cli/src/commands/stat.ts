import { isMarked, mark, readableWith, TREE_CODE } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { withTarget } from './read-target.ts'
import { MarkedTwins } from '../dag/marked-twins.ts'
import { viewOf } from '../dag/view-of.ts'
import { reportReads } from '../repo/report-reads.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { LateProgress } from '../terminal/progress.ts'
import { formatSize } from '../terminal/units.ts'
import { typeOf } from './ls.ts'
import type { Context } from '../context.ts'
import type { CidPath } from '../terminal/cid-path.ts'
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
  const { codec, size, storedSize, frames, frameSize, blocks, plainCid, filters, base } = stats
  // a dictionary counts for each file that has it, and so do equal files: together, they may be larger than originals
  const distinctSize = stats.uniqueBlocks === blocks ? undefined : stats.deduplicatedDagSize
  const type = typeOf(stats)
  const directory = type === 'directory'
  const others = readableWith(stats)
  const forOthers = others == null ? 'to pin: only IPFSz reads it' : `read with ${others}`
  // a directory below a marked CID is marked too
  const directoryCid = async (): Promise<CID | undefined> =>
    isMarked(cid) ? mark(plainCid, TREE_CODE) : new MarkedTwins(files, signal).of(plainCid)
  const markedCid = directory ? await directoryCid() : stats.markedCid
  // `extended` counts all files of a directory
  const ratio = directory && size > 0n ? Number(storedSize) / Number(size) : stats.ratio

  output.labelled({
    plainCid: plainCid.toString(),
    markedCid: markedCid?.toString(),
    type,
    codec: directory ? undefined : codec,
    size,
    storedSize,
    distinctSize,
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
    ['Codec', directory ? 'see ipfsz ls for each file' : codec],
    ['Original', `${size} bytes (${formatSize(size)})`],
    ['Stored', `${storedSize} bytes (${formatSize(storedSize)})`],
    ['Ratio', ratio.toFixed(3)],
    ...directory ? [] : [['Frames', formatFrames(stats)] as const],
    ...filters == null ? [] : [['Filters', filters.map(({ kind, width }) => `${kind} ${width}`).join(', ')] as const],
    ...base == null ? [] : [['Base', base.toString()] as const],
    ...codec === 'none' || directory ? [] : [['For others', forOthers] as const],
    ['Blocks', String(blocks)],
    ...distinctSize == null
      ? []
      : [['Distinct', `${distinctSize} bytes (${formatSize(distinctSize)}), ${stats.uniqueBlocks} blocks`] as const]
  ])
}

type Frames = Pick<Awaited<ReturnType<Ipfsz['stat']>>, 'frames' | 'frameSize' | 'size'>

function formatFrames ({ frames, frameSize, size }: Frames): string {
  if (frameSize == null) {
    return String(frames)
  }

  // frames that are cut by content are more than the size needs
  return `${frames} of ${frames > Math.ceil(Number(size) / frameSize) ? 'up to ' : ''}${formatSize(frameSize)}`
}

/** A blockstore that claims to have every leaf below a root, because a parent states the size of its leaves. */
function withLeaves (blockstore: IpfszComponents['blockstore'], root: CID): IpfszComponents['blockstore'] {
  return viewOf(blockstore, {
    has: (cid, options) => (cid.code === raw.code && !cid.equals(root)) || blockstore.has(cid, options)
  })
}
