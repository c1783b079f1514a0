import { copyLinks } from '@ipfsz/core'
import { keyOf } from '@ipfsz/node/internal/dag/dag-walk'
import { explain, IncompleteError, UsageError } from '../errors.ts'
import { copyBlocks } from '@ipfsz/node/internal/migrate/copy-blocks'
import { copyPins } from '@ipfsz/node/internal/migrate/copy-pins'
import { withDestination } from '@ipfsz/node/internal/migrate/destination'
import { openMigrationSource } from '@ipfsz/node/internal/migrate/migration-source'
import { checkPlace, isS3Url } from '@ipfsz/shared-store/internal/open-backend'
import { nodeContext } from '../context.ts'
import { resolvePath } from '../io.ts'
import { counter } from '../terminal/progress.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { Destination, MigrationSource } from '@ipfsz/node/internal/migrate/contract'
import type { NewPin } from '@ipfsz/node/internal/repo/repo-pins'

export interface MigrateCommandOptions {
  /** Count what would be copied, but copy nothing. Only with `verify` is it read. */
  dryRun: boolean
  /** Also read the blocks that are there already, and replace damaged ones. */
  verify: boolean
}

/** How many of each kind were copied, were there already, or are lost: damaged, unreadable, or without some block. */
interface Totals {
  blocks: Count
  /** How many of the blocks that were copied replaced a damaged one. */
  replaced: number
  /** Bytes of the blocks that were copied, not compressed. */
  size: number
  pins: Count
  links: Count
}

interface Count {
  copied: number
  there: number
  lost: number
}

/**
 * Copy blocks, pins and links from one store to another. What is there already is not copied again, so an interrupted
 * migration goes on where it was. Deletes nothing.
 *
 * @throws {IncompleteError} a block is damaged or cannot be read, or a pin was left out: each was printed
 */
export async function migrate (
  from: string,
  to: string,
  options: MigrateCommandOptions,
  context: Context
): Promise<void> {
  const source = await openMigrationSource(placeOf(from, context), nodeContext(context))

  try {
    const totals = await withDestination(
      placeOf(to, context),
      { dryRun: options.dryRun, links: source.links != null },
      nodeContext(context),
      async destination => copyAll(source, destination, options, context)
    )

    report(totals, { from, to, ...options }, context)
  } finally {
    await source.close()
  }
}

/** A directory or a bucket from the command line. */
function placeOf (text: string, { io }: Context): string {
  checkPlace(text)

  return isS3Url(text) ? text : resolvePath(text, io)
}

/** @throws {UsageError} both are one place */
async function copyAll (
  source: MigrationSource,
  destination: Destination | undefined,
  options: MigrateCommandOptions,
  context: Context
): Promise<Totals> {
  const { dryRun } = options
  const { output, signal } = context
  const [blocks, pins, links] = Array.from({ length: 3 }, (): Count => ({ copied: 0, there: 0, lost: 0 }))
  const totals: Totals = { blocks, replaced: 0, size: 0, pins, links }

  if (source.place === destination?.place) {
    throw new UsageError(`${source.place} cannot be copied to itself: choose another destination`)
  }

  // before the blocks: what is pinned while they are copied may have blocks that were not listed
  const pinned: NewPin[] = []
  const onDamaged = (err: Error): void => {
    pins.lost++
    output.error(explain(err), err)
  }

  for await (const { cid, name, depth } of source.pins(signal, onDamaged)) {
    pinned.push({ cid, depth, ...name == null ? {} : { name } })
  }

  const lost = await copyAllBlocks(source, destination, totals, options, context)
  await (dryRun ? undefined : destination?.storage.sync())

  const session = destination?.session

  if (destination != null && session == null) {
    if (pinned.length > 0) {
      output.note(`${destination.place} stores only blocks, so ${count(pinned.length, 'pin')} will not be copied`)
    }
  } else if (dryRun) {
    for (const { cid } of pinned) {
      pins[await session?.pins.has(cid) === true ? 'there' : 'copied']++
    }
  } else if (session != null) {
    await pinAll(pinned, lost, session, totals, context)
    await linkAll(source, session, totals, context)
  }

  return totals
}

/** @returns the blocks that were not copied, by `keyOf` */
async function copyAllBlocks (
  source: MigrationSource,
  destination: Destination | undefined,
  totals: Totals,
  { dryRun, verify }: MigrateCommandOptions,
  { output, signal }: Context
): Promise<Set<string>> {
  const lost = new Set<string>()
  const total = output.showsProgress
    ? await output.during('counting blocks', async () => countBlocks(source, signal))
    : 0
  const progress = output.progress(dryRun ? 'looking for blocks' : 'copying', total, 'block')
  const done = counter(progress)

  try {
    for await (const block of copyBlocks(source, destination, { dryRun, verify, signal })) {
      totals.blocks[block.state]++
      done(1)

      if (block.state === 'copied') {
        totals.size += block.size
        totals.replaced += block.replaced ? 1 : 0
      } else if (block.state === 'lost') {
        lost.add(keyOf(block.cid))
        output.error(`${block.cid} was not copied: ${explain(block.error)}`, block.error)
      }
    }
  } finally {
    progress.end()
  }

  return lost
}

async function pinAll (
  pinned: readonly NewPin[],
  lost: ReadonlySet<string>,
  session: NonNullable<Destination['session']>,
  { pins }: Totals,
  { output, signal }: Context
): Promise<void> {
  const progress = output.progress('pinning', undefined, 'block')

  try {
    for await (const copied of copyPins(pinned, session, { signal, lost, onBlocks: counter(progress) })) {
      if (copied.state === 'incomplete') {
        pins.lost++
        output.error(`${copied.pin.cid} was not pinned: ${explain(copied.error)}`, copied.error)
      } else {
        pins[copied.state]++
      }
    }
  } finally {
    progress.end()
  }
}

async function linkAll (
  { links: from }: MigrationSource,
  { repo: { blockstore }, links: datastore }: NonNullable<Destination['session']>,
  { links }: Totals,
  { signal }: Context
): Promise<void> {
  if (from != null && datastore != null) {
    for await (const { outcome } of copyLinks(from, { blockstore, datastore }, { signal })) {
      links[outcome === 'missing' ? 'lost' : outcome]++
    }
  }
}

async function countBlocks (source: MigrationSource, signal: AbortSignal): Promise<number> {
  let blocks = 0

  for await (const batch of source.list(signal)) {
    blocks += batch.length
  }

  return blocks
}

/** @throws {IncompleteError} */
function report (
  { blocks, replaced, size, pins, links }: Totals,
  { from, to, dryRun, verify }: MigrateCommandOptions & { from: string, to: string },
  { output }: Context
): void {
  const [verb, amount, rest] = dryRun
    ? ['Would copy', '', '']
    : ['Copied', ` (${formatSize(size)})`, ` and ${count(links.copied, 'link')}`]

  output.sentence(
    {
      dryRun,
      copied: blocks.copied,
      copiedSize: size,
      replaced,
      there: blocks.there,
      lost: blocks.lost,
      pins: pins.copied,
      pinsThere: pins.there,
      pinsLost: pins.lost,
      links: links.copied,
      linksThere: links.there,
      linksLost: links.lost
    },
    `${verb} ${count(blocks.copied, 'block')}${amount}, ${count(pins.copied, 'pin')}${rest} from ${from} to ${to}, ` +
      `which already has ${count(blocks.there, 'block')}` +
      (replaced > 0 ? `, and ${dryRun ? 'has' : 'had'} ${count(replaced, 'damaged block')}` : '')
  )

  if (blocks.lost > 0 || pins.lost > 0) {
    throw new IncompleteError(
      `${count(blocks.lost, 'block')} and ${count(pins.lost, 'pin')} were not copied: see the errors above. ` +
        `Repair the source, then run ipfsz migrate${verify ? ' --verify' : ''} again: it copies only what is missing` +
        (verify ? ' or damaged' : '')
    )
  }
}
