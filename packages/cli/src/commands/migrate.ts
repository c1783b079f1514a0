import { migrateStore } from '@ipfsz/node/migrate'
import { checkPlace, isS3Url } from '@ipfsz/shared-store/places'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { resolvePath } from '../io.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { LostInMigration, Migrated, MigrateOptions } from '@ipfsz/node/migrate'

export type MigrateCommandOptions = Required<Pick<MigrateOptions, 'dryRun' | 'verify'>>

export async function migrate (
  from: string,
  to: string,
  options: MigrateCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context
  const migrated = await migrateStore(nodeContext(context), placeOf(from, context), placeOf(to, context), {
    ...options,
    measures: output.showsProgress,
    onLost (lost) { output.error(reasonOf(lost), lost.error) }
  })

  if (migrated.leftOut != null) {
    const { place, pins } = migrated.leftOut
    output.note(`${place} stores only blocks, so ${count(pins, 'pin')} will not be copied`)
  }

  report(migrated, { from, to, ...options }, context)
}

function reasonOf (lost: LostInMigration): string {
  return lost.what === 'record'
    ? explain(lost.error)
    : `${lost.cid} was not ${lost.what === 'pin' ? 'pinned' : 'copied'}: ${explain(lost.error)}`
}

/** A directory or a bucket from the command line. */
function placeOf (text: string, { io }: Context): string {
  checkPlace(text)

  return isS3Url(text) ? text : resolvePath(text, io)
}

function report (
  { blocks, replaced, size, pins, links }: Migrated,
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
