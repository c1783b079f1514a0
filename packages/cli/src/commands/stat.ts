import { ipfsz, isMarked, mark, TREE_CODE } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { withReading } from '../context.ts'
import { markedTwin } from '../dag/marked-twins.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { table } from '../terminal/output.ts'
import { parseTarget } from '../target.ts'
import { formatSize } from '../terminal/units.ts'
import { typeOf } from './ls.ts'
import type { Context } from '../context.ts'
import type { Target } from '../target.ts'
import type { Ipfsz, IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface StatCommandOptions {
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
}

/** Show what a CID names and how it is compressed. */
export async function stat (text: string, options: StatCommandOptions, context: Context): Promise<void> {
  const target = parseTarget(text)

  await withReading(context, target.cid, async ({ files, blockstore, links, online }) => {
    if (!online) {
      await show(target, files, true, options, context)
      return
    }

    const { type } = await files.stat(target.cid, { path: target.path, signal: context.signal })

    // leaves need not be fetched: what is above them says how long they are
    await show(target, ipfsz({ blockstore: withLeaves(blockstore, target.cid), datastore: links }), type !== 'directory', options, context)
  })
}

/** @param offline - whether what is not here is left out: a part of a file has sizes too */
async function show ({ cid, path }: Target, files: Ipfsz, offline: boolean, { maxWindow: maxWindowSize }: StatCommandOptions, { output, signal }: Context): Promise<void> {
  const stats = await files.stat(cid, { path, extended: true, offline, signal, maxWindowSize, onProgress: noteLinks(output) })
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

/** A blockstore that says to have every leaf below a root: how long one is its parent says. */
function withLeaves (blockstore: IpfszComponents['blockstore'], root: CID): IpfszComponents['blockstore'] {
  return {
    get: (...args) => blockstore.get(...args),
    put: (...args) => blockstore.put(...args),
    has: (cid, options) => (cid.code === raw.code && !cid.equals(root)) || blockstore.has(cid, options)
  }
}
