import { UsageError } from '../errors.ts'
import { maxWindow } from './program-files.ts'
import type { AddLinkCommandOptions } from '../commands/link.ts'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** The commands that say what stays in a repo, and move it between repos. */
export function defineKeepCommands (program: Command, context: () => Context): void {
  const pin = program.command('pin').description('choose what ipfsz gc keeps')

  pin.command('add')
    .description('pin CIDs: ipfsz gc keeps what they name')
    .argument('<cid...>')
    .action(async (cids: string[]) => {
      const { addPins } = await import('../commands/pin.ts')
      await addPins(cids, context())
    })

  pin.command('rm')
    .description('unpin CIDs')
    .argument('<cid...>')
    .action(async (cids: string[]) => {
      const { removePins } = await import('../commands/pin.ts')
      await removePins(cids, context())
    })

  pin.command('ls')
    .description('list pins')
    .action(async () => {
      const { listPins } = await import('../commands/pin.ts')
      await listPins(context())
    })

  program.command('rm')
    .description('unpin CIDs and delete their links; the next ipfsz gc deletes the blocks')
    .argument('<cid...>')
    .action(async (cids: string[]) => {
      const { rm } = await import('../commands/rm.ts')
      await rm(cids, context())
    })

  program.command('gc')
    .description('delete unpinned blocks')
    .option('--dry-run', 'only say how many there are')
    .option('--force', 'run even if nothing is pinned')
    .action(async ({ dryRun = false, force = false }: { dryRun?: boolean, force?: boolean }) => {
      const { gc } = await import('../commands/gc.ts')
      await gc({ dryRun, force }, context())
    })

  const car = program.command('car').description('move files between repos, and to any other IPFS node')

  car.command('export')
    .description('write all that CIDs name to a CAR, whose roots are the plain CIDs')
    .argument('<cid...>')
    .requiredOption('-o, --output <file>', 'where to, - is stdout')
    .action(async (cids: string[], { output }: { output: string }) => {
      const { exportCar } = await import('../commands/car.ts')
      await exportCar(cids, output, context())
    })

  car.command('import')
    .description('add what is in CARs, and pin their roots; - is stdin')
    .argument('<file...>')
    .option('--no-sync', 'do not wait for the disk: a loss of power may take what was just added')
    .action(async (files: string[], { sync = true }: { sync?: boolean }) => {
      const { importCar } = await import('../commands/car.ts')
      await importCar(files, { sync }, context())
    })

  const link = program.command('link').description('link the CIDs of uncompressed files to compressed files')

  link.command('add')
    .description('link the CID of uncompressed bytes to a marked CID, when its bytes have that CID')
    .argument('<original>')
    .argument('<marked>')
    .option('--unchecked', 'without reading the file: for originals that were made with other settings than those of Helia and Kubo\'s profiles, and for directories')
    .addOption(maxWindow())
    .action(async (original: string, marked: string, options: AddLinkCommandOptions) => {
      if (options.unchecked === true && options.maxWindow != null) {
        throw new UsageError('--max-window is for reading the file, and does not go with --unchecked')
      }

      const { addLink } = await import('../commands/link.ts')
      await addLink(original, marked, options, context())
    })

  link.command('rm')
    .description('delete the links from or to these CIDs')
    .argument('<cid...>')
    .action(async (cids: string[]) => {
      const { removeLinks } = await import('../commands/link.ts')
      await removeLinks(cids, context())
    })

  link.command('ls')
    .description('list what is linked: original CID, marked CID')
    .action(async () => {
      const { listLinks } = await import('../commands/link.ts')
      await listLinks(context())
    })
}
