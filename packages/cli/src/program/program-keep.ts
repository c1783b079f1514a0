import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { CODECS } from './program-add.ts'
import { maxWindow } from './program-files.ts'
import { parseAge, parseNumber, parseSize, parseUnused } from '../terminal/units.ts'
import { TARGET, TARGETS } from './targets.ts'
import type { CollectOptions } from '@ipfsz/node/collect'
import type { KeepRules } from '@ipfsz/node/history'
import type { AddLinkCommandOptions } from '../commands/link.ts'
import type { Context } from '../context.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { Command } from 'commander'

type ImportFlags = CompressionOptions & { fromKubo: string, replace?: boolean }

/** The rules of `ipfsz forget` that count versions. */
const KEEP_RULES = [
  ['last', 'keep the newest <n> versions'],
  ['hourly', 'keep the newest version of each of the last <n> hours that have one'],
  ['daily', 'the same for days'],
  ['weekly', 'the same for weeks, which begin on Monday'],
  ['monthly', 'the same for months'],
  ['yearly', 'the same for years']
] as const

/** Define the commands that pin, delete, link, and move DAGs between repos. */
export function defineKeepCommands (program: Command, context: () => Context): void {
  const pin = program.command('pin').description('choose what ipfsz gc keeps')

  pin.command('add')
    .description('pin CIDs, so that ipfsz gc keeps their blocks')
    .argument('<cid...>', TARGETS)
    .action(async (cids: string[]) => (await import('../commands/pin.ts')).addPins(cids, context()))

  pin.command('rm')
    .description('unpin CIDs')
    .argument('<cid...>', TARGETS)
    .action(async (cids: string[]) => (await import('../commands/pin.ts')).removePins(cids, context()))

  pin.command('ls')
    .description('list pins')
    .option('-l, --long', 'also print original size, stored size and the date of pinning')
    .action(async ({ long = false }: { long?: boolean }) =>
      (await import('../commands/pin.ts')).listPins({ long }, context()))

  program.command('rm')
    .description('unpin CIDs and delete their links; the next ipfsz gc deletes the blocks that no other pin needs')
    .argument('<cid...>', TARGETS)
    .action(async (cids: string[]) => (await import('../commands/rm.ts')).rm(cids, context()))

  program.command('gc')
    .description('delete unpinned blocks')
    .option('--dry-run', 'only count the blocks')
    .option('--force', 'run even if nothing is pinned')
    .option('--evict <id>', 'in a shared store, stop waiting for the command with this id, which then fails')
    .option(
      '--max-unused <limit>',
      'how much space in packs deleted blocks may still take: a size or a percentage; less takes longer (default: 5%)',
      parseUnused
    )
    .action(async ({ dryRun = false, force = false, evict, maxUnused }: Partial<CollectOptions>) =>
      (await import('../commands/gc.ts')).gc({ dryRun, force, evict, maxUnused }, context()))

  program.command('log')
    .description('list the versions added with --base latest: date, CID, original size, new bytes')
    .argument('[name]', 'name of the history: --name, or the last part of the added path (default: list all names)')
    .option('--forget', 'delete the history of this name, but keep its pins')
    .action(async (name: string | undefined, { forget = false }: { forget?: boolean }) => {
      const { forgetHistory, listHistories, log } = await import('../commands/log.ts')

      if (forget && name == null) {
        throw new UsageError('--forget requires the name of a history')
      }

      await (name == null ? listHistories(context()) : (forget ? forgetHistory : log)(name, context()))
    })

  const forget = program.command('forget')
    .description('unpin old versions added with --base latest, except those that one of the rules keeps')
    .argument('<name...>', 'names of histories (ipfsz log lists them)')
    .option('--dry-run', 'only show what would be kept and forgotten')

  for (const [rule, what] of KEEP_RULES) {
    forget.option(`--keep-${rule} <n>`, what, parseNumber)
  }

  forget
    .option(
      '--keep-within <age>',
      'keep versions that are at most this much older than the newest one, such as 12h, 30d or 1y6m (6 months)',
      parseAge
    )
    .action(async (names: string[], { dryRun = false, ...flags }: { dryRun?: boolean } & Record<string, number>) => {
      const rules = Object.entries(flags).map(([flag, value]) => [flag.replace('keep', '').toLowerCase(), value])
      const { forget } = await import('../commands/forget.ts')
      await forget(names, { ...Object.fromEntries(rules) as KeepRules, dryRun }, context())
    })

  const car = program.command('car').description('move files between repos and other IPFS nodes')

  car.command('export')
    .description('write the DAGs of CIDs to a CAR; its roots are the plain CIDs')
    .argument('<cid...>', TARGETS)
    .requiredOption('-o, --output <file>', 'file to write; - is stdout')
    .option('--force', 'replace an existing file')
    .action(async (cids: string[], options: { output: string, force?: boolean }) => {
      if (options.output === '-' && options.force === true) {
        throw new UsageError('--force cannot be combined with --output -')
      }

      const { exportCar } = await import('../commands/car.ts')
      await exportCar(cids, options, context())
    })

  car.command('import')
    .description('add the blocks of CARs, and pin their roots; - is stdin')
    .argument('<file...>')
    .option('--no-sync', 'do not sync to disk: a power cut may lose what was just added')
    .action(async (files: string[], { sync = true }: { sync?: boolean }) =>
      (await import('../commands/car.ts')).importCar(files, { sync }, context()))

  program.command('import')
    .description('compress the pins of a Kubo node; their CIDs stay available with ipfsz daemon --serve-originals')
    .argument('[cid...]', 'what to import (default: all recursive pins)')
    .requiredOption(
      '--from-kubo <address>',
      'RPC API of a running Kubo node, http://127.0.0.1:5001 or /ip4/127.0.0.1/tcp/5001, or its repo directory'
    )
    .addOption(new Option('--codec <name>', 'codec to compress with').choices([...CODECS, 'auto']).default('zstd'))
    .option('--level <n>', 'compression level (ipfsz codecs lists them)', parseNumber)
    .option('--frame-size <size>', 'original bytes per frame, 64KiB to 16MiB (default: 4MiB)', parseSize)
    .option('--replace', 'unpin each CID in Kubo after reading all of its blocks back from this repo')
    .action(async (cids: string[], { fromKubo, replace = false, ...compression }: ImportFlags) =>
      (await import('../commands/import.ts')).importFromKubo(cids, { fromKubo, replace, compression }, context()))

  const link = program.command('link').description('link the CIDs of uncompressed files to compressed files')

  link.command('add')
    .description('link the CID of an uncompressed file to a marked CID with the same bytes')
    .argument('<original>', TARGET)
    .argument('<marked>', TARGET)
    .option(
      '--unchecked',
      'link without reading and checking the file: needed for directories, ' +
        'and for originals not made with the settings of Helia or a Kubo profile'
    )
    .addOption(maxWindow())
    .action(async (original: string, marked: string, options: AddLinkCommandOptions) => {
      if (options.unchecked === true && options.maxWindow != null) {
        throw new UsageError('--max-window cannot be combined with --unchecked, which does not read the file')
      }

      const { addLink } = await import('../commands/link.ts')
      await addLink(original, marked, options, context())
    })

  link.command('rm')
    .description('delete the links from or to these CIDs')
    .argument('<cid...>', TARGETS)
    .action(async (cids: string[]) => (await import('../commands/link.ts')).removeLinks(cids, context()))

  link.command('ls')
    .description('list links: original CID, marked CID')
    .action(async () => (await import('../commands/link.ts')).listLinks(context()))
}
