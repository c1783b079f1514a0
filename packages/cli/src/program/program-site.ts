import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { collect, parseNumber } from '../terminal/units.ts'
import type { SiteAddOptions } from '../commands/site.ts'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** Sites are compressed once and read often. */
const DEFAULT_LEVEL = 19

export function defineSiteCommands (program: Command, context: () => Context): void {
  const site = program.command('site').description('publish static sites, stored and sent compressed')

  site.command('add')
    .description('add a static site for any gateway with subdomains; the browser decompresses it')
    .argument('<dir>', 'directory of the built site, with an index.html')
    .option(
      '--keep <pattern>',
      'also store an uncompressed copy of files that match this .gitignore pattern, for crawlers and the like; ' +
        'repeatable. Always copied: robots.txt, icons, sitemaps, feeds, .well-known',
      collect(text => text, false)
    )
    .option(
      '--ignore <pattern>',
      'skip files that match this .gitignore pattern; repeatable',
      collect(text => text, false)
    )
    .option('--hidden', 'also add hidden entries, whose names begin with a dot')
    .option('--level <n>', `compression level of zstd (default: ${DEFAULT_LEVEL})`, parseNumber)
    .addOption(
      new Option('--optimize <what>', 'ranges: for sites that read small parts of large files, such as databases')
        .choices(['ranges'])
    )
    .option(
      '--dictionaries',
      'compress similar small files with a shared dictionary; the first page load fetches it too'
    )
    .option(
      '--base <cid>',
      'the last release: store only the differences. A CID, a domain with a DNSLink, /ipns/NAME, or latest: what was ' +
        'last added with --base latest'
    )
    .option('--car <file>', 'also write a reproducible CAR, for pinning services')
    .option('--force', 'with --car, replace an existing file')
    .action(async (directory: string, flags: SiteAddOptions) => {
      if (flags.dictionaries === true && flags.base != null) {
        throw new UsageError('--dictionaries cannot be combined with --base: choose one')
      }

      if (flags.force === true && flags.car == null) {
        throw new UsageError('--force requires --car')
      }

      if (flags.car === '-') {
        throw new UsageError('--car needs a file, because the CID goes to stdout: see ipfsz car export -o -')
      }

      const { addSite } = await import('../commands/site.ts')
      await addSite(directory, flags, context())
    })
}
