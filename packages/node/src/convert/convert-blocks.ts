import { convert } from '@ipfsz/blockstore-compressed'
import { readReference } from '@ipfsz/shared-store/reference'
import { withRepo } from '../context.ts'
import { lockOutDaemons } from '../daemon/daemon-lock.ts'
import { StoreError, UsageError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { readBlockSetting, writeBlockSetting } from '../blocks/block-setting.ts'
import { countListed } from '../blocks/count-listed.ts'
import type { NodeContext } from '../context.ts'
import type { MeasuredOptions } from '../events.ts'
import type { RepoCompression } from '../blocks/block-setting.ts'
import type { Repo } from '../repo/repo.ts'
import type { ConvertReport } from '@ipfsz/blockstore-compressed'
import type { CID } from 'multiformats/cid'

export interface ConvertBlocksOptions extends MeasuredOptions {
  /**
   * Whether to re-encode blocks that already have the codec.
   *
   * @default false
   */
  again?: boolean | undefined
  /** Called for each block that is damaged, and that stays as it is. */
  onDamaged?: ((cid: CID, error: Error) => void) | undefined
}

/**
 * Re-encode all blocks of the repo. New blocks are stored the same way. Waits until nothing else uses the repo.
 *
 * @param compression - the codec of blocks, and its level
 * @throws {StoreError} the repo shares a store with other nodes, which keep the codec that they have opened it with
 * @throws {UsageError} the blocks are in packs, which compress by themselves
 * @throws {DaemonRunningError} a daemon runs, and would keep the codec that it started with
 */
export async function convertBlocks (
  context: NodeContext,
  compression: RepoCompression,
  options: ConvertBlocksOptions = {}
): Promise<ConvertReport> {
  const reference = await readReference(context.repo)

  if (reference != null) {
    throw new StoreError(
      `The store ${reference.store} compresses blocks the same way for all nodes, as set when it was created: to ` +
        'change that, create another store'
    )
  }

  if ((await readBlockSetting(context.repo))?.layout === 'packs') {
    throw new UsageError('Packs compress blocks by themselves, so they take no codec', { problem: 'packs-compress' })
  }

  // exclusive: every process keeps the codec that the repo had when it opened it
  return withRepo(context, { lock: 'gc', existing: true }, async ({ repo }) => {
    const lock = await lockOutDaemons(repo.path)

    try {
      return await convertAll(repo, compression, options, context)
    } finally {
      await lock.release()
    }
  })
}

async function convertAll (
  repo: Repo,
  compression: RepoCompression,
  { again = false, measures = false, onDamaged }: ConvertBlocksOptions,
  context: NodeContext
): Promise<ConvertReport> {
  const { signal } = context
  // written first, so that converted blocks stay readable even if this is interrupted
  await writeBlockSetting(repo.path, { layout: 'files', compression })

  const total = measures
    ? await duringStep(context, { task: 'count', name: '' }, async () => countListed(repo.storage.blocks({ signal })))
    : undefined
  const step = { task: 'convert', name: '', unit: 'blocks', total } as const
  const report = await duringStep(context, step, async progress => convert(repo.storage, {
    ...compression,
    again,
    signal,
    onProgress: ({ detail: { cid, error } }) => {
      progress.add(1)

      if (error instanceof Error) {
        onDamaged?.(cid, error)
      }
    }
  }))

  await repo.storage.sync()

  return report
}
