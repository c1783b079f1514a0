import * as node from '@ipfsz/node/convert'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { BlockLayout, RepoCompression } from '@ipfsz/node/convert'

export interface ConvertCommandOptions extends RepoCompression {
  /** Re-encode blocks that already have this codec. */
  again: boolean
}

/**
 * Re-encode all blocks of the repo. New blocks are stored the same way.
 *
 * @throws {StoreError} the repo shares a store with other nodes
 * @throws {DaemonRunningError} a daemon runs, and would keep the codec that it started with
 * @throws {IncompleteError} some blocks are damaged, and were not converted
 */
export async function convertBlocks (
  { again, ...compression }: ConvertCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context
  const report = await node.convertBlocks(nodeContext(context), compression, {
    again,
    measures: output.showsProgress,
    onDamaged (cid, error) { output.error(`${cid}: ${explain(error)}`, error) }
  })
  const { blocks, converted, unchanged, unreadable, storedSizeBefore, storedSize } = report

  output.sentence(
    { ...compression, blocks, converted, unchanged, unreadable, storedSizeBefore, storedSize },
    `Converted ${converted} of ${blocks} blocks, ${formatSize(storedSizeBefore)} before, ${formatSize(storedSize)} now`
  )

  if (unreadable > 0) {
    throw new IncompleteError(
      `${unreadable} of ${blocks} blocks are damaged and were not converted: run ipfsz repair, or add their files again`
    )
  }
}

/**
 * Move all blocks of the repo into packs, or into files of their own.
 *
 * @throws {StoreError} nodes use the store that the repo shares, or it has packs and is to have files
 * @throws {DaemonRunningError} a daemon runs
 * @throws {IncompleteError} some blocks are damaged, and were not moved
 */
export async function convertLayout (layout: BlockLayout, context: Context): Promise<void> {
  const { output } = context
  const { blocks, size, kept } = await node.convertLayout(nodeContext(context), layout, {
    onKept (error, cid) { output.error(`${cid == null ? '' : `${cid}: `}${explain(error)}`, error) }
  })

  output.sentence(
    { layout, blocks, size, kept },
    `Moved ${count(blocks, 'block')} (${formatSize(size)}) into ${layout}`
  )

  if (kept > 0) {
    throw new IncompleteError(
      `${kept} could not be moved, and stayed where they were: run ipfsz repair, then convert again`
    )
  }
}
