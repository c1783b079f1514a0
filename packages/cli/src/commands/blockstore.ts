import { convert } from '@ipfsz/blockstore-compressed'
import { withRepo } from '../context.ts'
import { lockOutDaemons } from '@ipfsz/node/internal/daemon/daemon-lock'
import { explain, IncompleteError, StoreError } from '../errors.ts'
import { writeCompression } from '@ipfsz/node/internal/repo/repo-compression'
import { readReference } from '@ipfsz/shared-store/internal/store-reference'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '@ipfsz/node/internal/repo/repo-compression'
import type { Repo } from '@ipfsz/node/internal/repo/repo'

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
  await refuseShared(context)

  // exclusive: every process keeps the codec that the repo had when it opened it
  await withRepo(context, { lock: 'gc', existing: true }, async ({ repo }) => {
    const lock = await lockOutDaemons(repo.path)

    try {
      await convertAll(repo, { again, ...compression }, context)
    } finally {
      await lock.release()
    }
  })
}

/** @throws {StoreError} the other nodes keep the codec that they have opened the store with */
async function refuseShared ({ repo }: Context): Promise<void> {
  const reference = await readReference(repo)

  if (reference != null) {
    throw new StoreError(
      `The store ${reference.store} compresses blocks the same way for all nodes, as set by its first ipfsz init ` +
        '--store: to change that, create another store'
    )
  }
}

async function convertAll (
  repo: Repo,
  { again, ...compression }: ConvertCommandOptions,
  { output, signal }: Context
): Promise<void> {
  // written first, so that converted blocks stay readable even if this is interrupted
  await writeCompression(repo.path, compression)

  const total = output.showsProgress
    ? await output.during('counting blocks', async () => countBlocks(repo, signal))
    : 0
  const progress = output.progress('converting', total, 'block')
  let done = 0
  const report = await convert(repo.storage, {
    ...compression,
    again,
    signal,
    onProgress: ({ detail: { cid, error } }) => {
      progress.update(++done)

      if (error instanceof Error) {
        output.error(`${cid}: ${explain(error)}`, error)
      }
    }
  }).finally(() => progress.end())

  await repo.storage.sync()

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

async function countBlocks ({ storage }: Repo, signal: AbortSignal): Promise<number> {
  let blocks = 0

  for await (const files of storage.files({ signal })) {
    blocks += files.length
  }

  return blocks
}
