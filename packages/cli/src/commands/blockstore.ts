import { convert } from '@ipfsz/blockstore-compressed'
import { withRepo } from '../context.ts'
import { lockOutDaemons } from '../daemon/daemon-lock.ts'
import { IncompleteError } from '../errors.ts'
import { writeCompression } from '../repo/repo-compression.ts'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '../repo/repo-compression.ts'
import type { Repo } from '../repo/repo.ts'

export interface ConvertCommandOptions extends RepoCompression {
  /** Compress again what has the codec already. */
  again: boolean
}

/**
 * Store the blocks of the repo otherwise, those that are there and those to come.
 *
 * @throws {DaemonRunningError} it would go on as it began
 * @throws {IncompleteError} some blocks are damaged, and were left as they are
 */
export async function convertBlocks ({ again, ...compression }: ConvertCommandOptions, context: Context): Promise<void> {
  // alone: who has the repo open reads and writes as it was when they began
  await withRepo(context, { lock: 'gc', existing: true }, async ({ repo }) => {
    const lock = await lockOutDaemons(repo.path)

    try {
      await convertAll(repo, { again, ...compression }, context)
    } finally {
      await lock.release()
    }
  })
}

async function convertAll (repo: Repo, { again, ...compression }: ConvertCommandOptions, { output, signal }: Context): Promise<void> {
  // first, so that what is converted can be read however this ends
  await writeCompression(repo.path, compression)

  const progress = output.progress('converting')
  let done = 0
  const report = await convert(repo.disk, {
    ...compression,
    again,
    signal,
    onProgress: ({ detail: { cid, storedSize, error } }) => {
      progress.update(done += storedSize)

      if (error instanceof Error) {
        output.error(`${cid}: ${error.message}`, error)
      }
    }
  }).finally(() => progress.end())

  await repo.disk.sync()

  const { blocks, converted, unchanged, unreadable, storedSizeBefore, storedSize } = report

  output.result(
    { ...compression, blocks, converted, unchanged, unreadable, storedSizeBefore, storedSize },
    `Converted ${converted} of ${blocks} blocks, ${formatSize(storedSizeBefore)} before, ${formatSize(storedSize)} now`
  )

  if (unreadable > 0) {
    throw new IncompleteError(`${unreadable} of ${blocks} blocks are damaged, and were left as they are: add their files again`)
  }
}
