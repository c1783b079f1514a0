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
