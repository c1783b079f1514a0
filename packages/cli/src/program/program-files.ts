import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { addNetworkOptions, withNetwork } from './program-network.ts'
import { collect, parseNumber, parseSize } from '../terminal/units.ts'
import { TARGET, TARGETS } from './targets.ts'
import type { BenchCommandOptions } from '../commands/bench.ts'
import type { CatCommandOptions } from '../commands/cat.ts'
import type { DiffCommandOptions } from '../commands/diff.ts'
import type { DuCommandOptions } from '../commands/du.ts'
import type { FindCommandOptions } from '../commands/find.ts'
import type { GetCommandOptions } from '../commands/get.ts'
import type { LsCommandOptions } from '../commands/ls.ts'
import type { StatCommandOptions } from '../commands/stat.ts'
import type { TreeCommandOptions } from '../commands/tree.ts'
import type { VerifyCommandOptions } from '../commands/verify.ts'
import type { Context } from '../context.ts'
import type { NetworkFlags } from './program-network.ts'
import type { Command } from 'commander'

export function maxWindow (): Option {
  return new Option(
    '--max-window <size>',
    'maximum window size of streams compressed by other tools (default: 8MiB); use 128MiB for zstd --long=27'
  ).argParser(parseSize)
}

/** Define the commands that read and check files. */
export function defineFileCommands (program: Command, context: () => Context): void {
  addNetworkOptions(program.command('cat')
    .description('write a file to stdout')
    .argument('<cid>', TARGET)
    .option('--offset <n>', 'start at this byte', parseNumber)
    .option('--length <n>', 'write at most this many bytes', parseNumber)
    .option('--raw', 'write the bytes as stored, without decompressing')
    .addOption(maxWindow()))
    .action(async (cid: string, flags: CatCommandOptions & NetworkFlags) => {
      if (flags.raw === true && flags.maxWindow != null) {
        throw new UsageError('--max-window cannot be combined with --raw, which does not decompress')
      }

      const { cat } = await import('../commands/cat.ts')
      await cat(cid, ...withNetwork(flags, context()))
    })

  addNetworkOptions(program.command('get')
    .description('write a file or a directory to disk')
    .argument('<cid>', TARGET)
    .option(
      '-o, --output <path>',
      'where to write (default: the last part of the path, or the CID, in this directory); ' +
        'a path that ends in / is a directory to write into; - is stdout'
    )
    .option('--force', 'replace an existing file; directories are never replaced')
    .option('--allow-symlinks', 'also write symlinks that point outside the output directory')
    .option('--max-size <size>', 'maximum number of bytes to write (default: 4TiB)', parseSize)
    .option(
      '--max-files <n>',
      'maximum number of files, directories and symlinks to write (default: 100000000)',
      parseNumber
    )
    .addOption(maxWindow()))
    .action(async (cid: string, flags: GetCommandOptions & NetworkFlags) => {
      if (flags.output === '-' && (flags.force ?? flags.allowSymlinks ?? flags.maxSize ?? flags.maxFiles) != null) {
        throw new UsageError(
          '--force, --allow-symlinks, --max-size and --max-files cannot be combined with --output -'
        )
      }

      const { get } = await import('../commands/get.ts')
      await get(cid, ...withNetwork(flags, context()))
    })

  addNetworkOptions(program.command('ls')
    .description('list a directory: CID, original size, stored size, codec, name')
    .argument('<cid>', TARGET)
    .option('-l, --long', 'also print modes and modification times')
    .option('-R, --recursive', 'also list the contents of subdirectories'))
    .action(async (cid: string, flags: LsCommandOptions & NetworkFlags) =>
      (await import('../commands/ls.ts')).ls(cid, ...withNetwork(flags, context())))

  addNetworkOptions(program.command('tree')
    .description('show a directory and what is below it as a tree, with original sizes')
    .argument('<cid>', TARGET)
    .option('-L, --depth <n>', 'show at most this many levels', parseNumber))
    .action(async (cid: string, flags: TreeCommandOptions & NetworkFlags) => {
      if (flags.depth === 0) {
        throw new UsageError('--depth must be at least 1')
      }

      const { tree } = await import('../commands/tree.ts')
      await tree(cid, ...withNetwork(flags, context()))
    })

  addNetworkOptions(program.command('find')
    .description('find files and directories by name, in directories or in all pins')
    .argument('<pattern>', '* stands for any characters, ? for one; with a slash, it is compared with the whole path')
    .argument('[cid...]', `where to search: ${TARGETS} (default: all pins)`)
    .addOption(new Option('--type <type>', 'find only these').choices(['file', 'directory', 'symlink'])))
    .action(async (pattern: string, cids: string[], flags: FindCommandOptions & NetworkFlags) => {
      const { find } = await import('../commands/find.ts')
      await find(pattern, cids, ...withNetwork(flags, context()))
    })

  addNetworkOptions(program.command('stat')
    .description('show sizes, codec and both CIDs of a file or directory')
    .argument('<cid>', TARGET)
    .addOption(maxWindow()))
    .action(async (cid: string, flags: StatCommandOptions & NetworkFlags) =>
      (await import('../commands/stat.ts')).stat(cid, ...withNetwork(flags, context())))

  addNetworkOptions(program.command('diff')
    .description('show what was added, removed or changed between two files or directories')
    .argument('<cid>', `the old one: ${TARGET}`)
    .argument('<cid>', 'the new one')
    .option('--content', 'also compare contents of files of equal size, where CIDs cannot show whether they are equal'))
    .action(async (before: string, after: string, flags: DiffCommandOptions & NetworkFlags) =>
      (await import('../commands/diff.ts')).diff([before, after], ...withNetwork(flags, context())))

  program.command('du')
    .description('show disk usage of this repo: original size, stored size, name')
    .argument('[cid...]', `${TARGETS} (default: all pins)`)
    .option('-s, --summarize', 'do not list the contents of directories')
    .action(async (texts: string[], options: DuCommandOptions) =>
      (await import('../commands/du.ts')).du(texts, options, context()))

  program.command('verify')
    .description('read files or directories completely and check every block and frame')
    .argument('[cid...]', TARGETS)
    .option('--all', 'verify all pins')
    .addOption(maxWindow())
    .action(async (cids: string[], { all = false, ...options }: VerifyCommandOptions & { all?: boolean }) => {
      if (all === cids.length > 0) {
        throw new UsageError(all
          ? '--all cannot be combined with CIDs'
          : 'No CIDs to verify: pass some, or use --all to verify all pins')
      }

      if (all) {
        const { verifyAll } = await import('../commands/verify-all.ts')
        await verifyAll(options, context())
      } else {
        const { verify } = await import('../commands/verify.ts')
        await verify(cids, options, context())
      }
    })

  addNetworkOptions(program.command('repair')
    .description('fetch blocks that are missing or damaged, and list those that cannot be fetched')
    .argument('[cid...]', `what to check: ${TARGETS} (default: all pins)`))
    .action(async (cids: string[], flags: NetworkFlags) =>
      (await import('../commands/repair.ts')).repair(cids, withNetwork(flags, context())[1]))

  program.command('bench')
    .description('compare codecs and levels on your own files')
    .argument('<path...>')
    .option('--codec <names>', 'only these codecs, such as zstd,gzip', collect(text => text))
    .option('--level <numbers>', 'only these levels, such as 1,3,9', collect(parseNumber))
    .option('--frame-size <size>', 'original bytes per frame, 64KiB to 16MiB (default: 4MiB)', parseSize)
    .option('--time <seconds>', 'maximum time to measure (default: 30)', parseNumber)
    .action(async (files: string[], options: BenchCommandOptions) =>
      (await import('../commands/bench.ts')).bench(files, options, context()))
}
