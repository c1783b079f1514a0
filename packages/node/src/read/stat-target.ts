import * as raw from 'multiformats/codecs/raw'
import { viewOf } from '../dag/view-of.ts'
import { reportReads } from '../repo/report-reads.ts'
import { withTarget } from './read-target.ts'
import type { NodeContext } from '../context.ts'
import type { ExtendedStatOptions, ExtendedStats, IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface StatTargetOptions extends Pick<ExtendedStatOptions, 'maxWindowSize' | 'onProgress'> {
  /** Called with the size of each block that is read. */
  onBytes?: (bytes: number) => void
}

/**
 * Find out type, sizes and compression of what a CID or a name leads to. Missing nodes of it are fetched, leaves are
 * not: their parents state their sizes.
 *
 * @throws {UsageError} the text begins neither with a CID nor with a name
 * @throws {NotFoundError} a block is missing that states sizes
 */
export async function statTarget (
  context: NodeContext,
  text: string,
  { onBytes = () => {}, ...options }: StatTargetOptions = {}
): Promise<ExtendedStats> {
  const { signal } = context

  return withTarget(context, text, { scope: 'block' }, async ({ cid, path }, { repo, files, filesOn, online }) => {
    const blockstore = reportReads(repo.blockstore, onBytes)
    // a file with missing leaves has sizes too, and so has one without a network
    const offline = !online || (await files.stat(cid, { path, signal })).type !== 'directory'
    const read = filesOn(online ? withLeaves(blockstore, cid) : blockstore)

    return read.stat(cid, { ...options, path, extended: true, offline, signal })
  })
}

type Blocks = IpfszComponents['blockstore']

/** A blockstore that claims to have every leaf below a root. */
function withLeaves (blockstore: Blocks, root: CID): Blocks {
  return viewOf(blockstore, {
    has: (cid, options) => (cid.code === raw.code && !cid.equals(root)) || blockstore.has(cid, options)
  })
}
