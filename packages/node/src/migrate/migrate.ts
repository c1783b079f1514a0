import { copyLinks } from '@ipfsz/core'
import { countListed } from '../blocks/count-listed.ts'
import { keyOf } from '../dag/dag-walk.ts'
import { UsageError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { copyBlocks } from './copy-blocks.ts'
import { copyPins } from './copy-pins.ts'
import { withDestination } from './destination.ts'
import { openMigrationSource } from './migration-source.ts'
import type { NodeContext } from '../context.ts'
import type { MeasuredOptions } from '../events.ts'
import type { NewPin } from '../repo/repo-pins.ts'
import type { Destination, MigrationSource } from './contract.ts'
import type { CID } from 'multiformats/cid'

/** What was not copied: a block, a pin, or a pin whose record cannot be read. */
export type LostInMigration =
  | { what: 'block' | 'pin', cid: CID, error: Error }
  | { what: 'record', error: Error }

export interface MigrateOptions extends MeasuredOptions {
  /**
   * Count what would be copied, but copy nothing. Only with `verify` is it read.
   *
   * @default false
   */
  dryRun?: boolean | undefined
  /**
   * Also read the blocks that are there already, and replace damaged ones.
   *
   * @default false
   */
  verify?: boolean | undefined
  /** Called for everything that is not copied. The rest is. */
  onLost?: ((lost: LostInMigration) => void) | undefined
}

/** How many were copied, were there already, or are lost: damaged, unreadable, or without some block. */
export interface MigratedCount {
  copied: number
  there: number
  lost: number
}

/** What a migration did, or would do. */
export interface Migrated {
  blocks: MigratedCount
  /** How many of the blocks that were copied replaced a damaged one. */
  replaced: number
  /** Bytes of the blocks that were copied, not compressed. */
  size: number
  pins: MigratedCount
  links: MigratedCount
  /** The destination and how many pins it does not take, if it stores only blocks. */
  leftOut: { place: string, pins: number } | undefined
}

type Options = Required<Pick<MigrateOptions, 'dryRun' | 'verify' | 'measures'>> & Pick<MigrateOptions, 'onLost'>

/**
 * Copy blocks, pins and links from one store to another: a repo, or a bucket of S3 (`s3://...`). What is there already
 * is not copied again, so an interrupted migration goes on where it was. Deletes nothing. It does not use the repo of
 * the context.
 *
 * @throws {UsageError} one of them is no store, or both are one place
 */
export async function migrateStore (
  context: NodeContext,
  from: string,
  to: string,
  { dryRun = false, verify = false, measures = false, onLost }: MigrateOptions = {}
): Promise<Migrated> {
  const source = await openMigrationSource(from, context)

  try {
    return await withDestination(
      to,
      { dryRun, links: source.links != null },
      context,
      async destination => copyAll(source, destination, { dryRun, verify, measures, onLost }, context)
    )
  } finally {
    await source.close()
  }
}

async function copyAll (
  source: MigrationSource,
  destination: Destination | undefined,
  options: Options,
  context: NodeContext
): Promise<Migrated> {
  const { dryRun, onLost } = options
  const { signal } = context
  const [blocks, pins, links] = Array.from({ length: 3 }, (): MigratedCount => ({ copied: 0, there: 0, lost: 0 }))
  const migrated: Migrated = { blocks, replaced: 0, size: 0, pins, links, leftOut: undefined }

  if (source.place === destination?.place) {
    throw new UsageError(`${source.place} cannot be copied to itself: choose another destination`)
  }

  // before the blocks: what is pinned while they are copied may have blocks that were not listed
  const pinned: NewPin[] = []
  const onDamaged = (error: Error): void => {
    pins.lost++
    onLost?.({ what: 'record', error })
  }

  for await (const { cid, name, depth } of source.pins(signal, onDamaged)) {
    pinned.push({ cid, depth, ...name == null ? {} : { name } })
  }

  const lost = await copyAllBlocks(source, destination, { ...options, migrated }, context)
  await (dryRun ? undefined : destination?.storage.sync())

  const session = destination?.session

  if (destination != null && session == null) {
    migrated.leftOut = pinned.length > 0 ? { place: destination.place, pins: pinned.length } : undefined
  } else if (dryRun) {
    for (const { cid } of pinned) {
      pins[await session?.pins.has(cid) === true ? 'there' : 'copied']++
    }
  } else if (session != null) {
    await pinAll({ pinned, lost, session, pins, onLost }, context)
    await linkAll(source, session, links, signal)
  }

  return migrated
}

/** @returns the blocks that were not copied, by `keyOf` */
async function copyAllBlocks (
  source: MigrationSource,
  destination: Destination | undefined,
  { dryRun, verify, measures, onLost, migrated }: Options & { migrated: Migrated },
  context: NodeContext
): Promise<Set<string>> {
  const { signal } = context
  const lost = new Set<string>()
  const total = measures
    ? await duringStep(context, { task: 'count', name: '' }, async () => countListed(source.list(signal)))
    : undefined
  const step = { task: dryRun ? 'look-for' : 'copy', name: '', unit: 'blocks', total } as const

  await duringStep(context, step, async progress => {
    for await (const block of copyBlocks(source, destination, { dryRun, verify, signal })) {
      migrated.blocks[block.state]++
      progress.add(1)

      if (block.state === 'copied') {
        migrated.size += block.size
        migrated.replaced += block.replaced ? 1 : 0
      } else if (block.state === 'lost') {
        lost.add(keyOf(block.cid))
        onLost?.({ what: 'block', cid: block.cid, error: block.error })
      }
    }
  })

  return lost
}

interface Pinning extends Pick<Migrated, 'pins'>, Pick<MigrateOptions, 'onLost'> {
  pinned: readonly NewPin[]
  /** The blocks that were not copied, by `keyOf`. */
  lost: ReadonlySet<string>
  session: NonNullable<Destination['session']>
}

async function pinAll ({ pinned, lost, session, pins, onLost }: Pinning, context: NodeContext): Promise<void> {
  await duringStep(context, { task: 'pin', name: '', unit: 'blocks' }, async ({ add: onBlocks }) => {
    for await (const copied of copyPins(pinned, session, { signal: context.signal, lost, onBlocks })) {
      if (copied.state === 'incomplete') {
        pins.lost++
        onLost?.({ what: 'pin', cid: copied.pin.cid, error: copied.error })
      } else {
        pins[copied.state]++
      }
    }
  })
}

async function linkAll (
  { links: from }: MigrationSource,
  { repo: { blockstore }, links: datastore }: NonNullable<Destination['session']>,
  links: MigratedCount,
  signal: AbortSignal
): Promise<void> {
  if (from != null && datastore != null) {
    for await (const { outcome } of copyLinks(from, { blockstore, datastore }, { signal })) {
      links[outcome === 'missing' ? 'lost' : outcome]++
    }
  }
}
