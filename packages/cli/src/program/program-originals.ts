import { InvalidArgumentError, Option } from 'commander'
import type { IndexCommandOptions } from '../commands/originals.ts'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** The layouts of originals. Not imported: that would load the whole of core for every command. */
export const ORIGINAL_LAYOUTS = [
  'unixfs-v1-2025', 'unixfs-v0-2015', 'kubo-cid-v1', 'kubo-test-cid-v1', 'kubo-v0-raw-leaves'
]

export function serveOriginalsOption (): Option {
  return new Option(
    '--serve-originals',
    'also serve the originals of linked files under their own CIDs, restored from the compressed copy'
  )
}

/** An option that names a layout of originals. */
export function layoutOption (flags: string): Option {
  return new Option(
    flags,
    'also index each linked file in this layout, to serve it under the CID that Kubo gives it; repeatable'
  ).choices(ORIGINAL_LAYOUTS).argParser((name: string, before: string[] = []) => {
    if (!ORIGINAL_LAYOUTS.includes(name)) {
      throw new InvalidArgumentError(`Allowed choices are ${ORIGINAL_LAYOUTS.join(', ')}.`)
    }

    return [...before, name]
  })
}

/** Define the commands for the originals of compressed files. */
export function defineOriginalsCommands (program: Command, context: () => Context): void {
  const originals = program.command('originals')
    .description('serve the uncompressed originals of files from their compressed copies')

  originals.command('index')
    .description('index the originals of marked CIDs (default: of all linked files and pinned directories)')
    .argument('[cid...]')
    .addOption(layoutOption('--layout <name>'))
    .action(async (cids: string[], options: IndexCommandOptions) =>
      (await import('../commands/originals.ts')).indexOriginals(cids, options, context()))

  originals.command('ls')
    .description('list the originals that can be served: original CID, marked CID, layout')
    .action(async () => (await import('../commands/originals.ts')).listOriginals(context()))
}
