import * as node from '@ipfsz/node/convert'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '@ipfsz/node/convert'

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
