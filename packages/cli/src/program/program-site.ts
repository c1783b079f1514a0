import { Option } from 'commander'
import { collect, parseNumber } from '../terminal/units.ts'
import type { SiteAddOptions } from '../commands/site.ts'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** Sites are compressed once and read often. */
const DEFAULT_LEVEL = 19

/** Define the commands for static sites. */
export function defineSiteCommands (program: Command, context: () => Context): void {
  const site = program.command('site').description('publish static sites, stored and sent compressed')

  site.command('add')
    .description('add a static site that any gateway with subdomains shows, decompressed by the browser')
    .argument('<dir>', 'directory of the built site, with an index.html')
    .option(
      '--keep <pattern>',
      'also keep plain what matches a pattern, as in .gitignore, for crawlers and other programs; repeatable. Always ' +
        'kept: robots.txt, icons, sitemaps, feeds, .well-known',
      collect(text => text, false)
    )
    .option(
      '--ignore <pattern>',
      'skip what matches a pattern, as in .gitignore; repeatable',
      collect(text => text, false)
    )
    .option('--hidden', 'also add names that begin with a dot')
    .option('--level <n>', `compression level of zstd (default: ${DEFAULT_LEVEL})`, parseNumber)
    .addOption(
      new Option('--optimize <what>', 'ranges: for a site that reads small parts of large files, as of databases')
        .choices(['ranges'])
    )
    .option(
      '--dictionaries',
      'store once what small files of a kind have in common: the first page that is read needs that too'
    )
    .action(async (directory: string, flags: Partial<SiteAddOptions>) => {
      const { keep = [], ignore = [], hidden = false, level = DEFAULT_LEVEL, optimize, dictionaries = false } = flags
      const { addSite } = await import('../commands/site.ts')
      await addSite(directory, { keep, ignore, hidden, level, optimize, dictionaries }, context())
    })
}
