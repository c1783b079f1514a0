import { codecs } from '@ipfsz/codecs/all'
import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { collect, parseNumber, parseSize } from '../terminal/units.ts'
import type { AddCommandOptions } from '../commands/add.ts'
import type { Context } from '../context.ts'
import type { CompressionOptions } from '@ipfsz/core'
import type { Command } from 'commander'

export const CODECS = Object.keys(codecs)

interface AddFlags extends
  Omit<CompressionOptions, 'base' | 'dictionaries'>,
  Partial<Omit<AddCommandOptions, 'compression' | 'preserve'>> {
  preserveMode?: boolean
  preserveMtime?: boolean
  dictionaries?: boolean
  wrapWithDirectory?: boolean
  recursive?: boolean
  progress?: boolean
  cidVersion?: number
}

/** Define the command that adds files and directories. */
export function defineAddCommand (program: Command, context: () => Context): void {
  program.command('add')
    .description('add files and directories; - is stdin')
    .argument('[path...]', 'what to add (default: stdin, if it is a pipe or a file)')
    .addOption(
      new Option('--codec <name>', 'codec to compress with').choices([...CODECS, 'auto', 'none']).default('zstd')
    )
    .addOption(
      new Option(
        '--optimize <what>',
        'goal of --codec auto: size (smallest), speed (fastest transfer) or balanced (default: balanced); ' +
          'ranges, with any codec: fast reads of small parts, as in databases'
      ).choices(['size', 'balanced', 'speed', 'ranges'])
    )
    .option('--level <n>', 'compression level (ipfsz codecs lists them)', parseNumber)
    .option(
      '--frame-size <size>',
      'original bytes per frame, 64KiB to 16MiB (default: 4MiB, 512KiB with --base, 64KiB with --optimize ranges)',
      parseSize
    )
    .addOption(
      new Option(
        '--cut <how>',
        'where frames end: size, after --frame-size bytes; content, at content-defined boundaries, so that similar ' +
          'files share blocks (default: size)'
      ).choices(['size', 'content'])
    )
    .option(
      '--base <cid>',
      'CID of an earlier version in the repo: only the differences from it are stored, and only IPFSz can read them; ' +
        'latest: the last version added with this option under the same name (ipfsz log lists them)'
    )
    .addOption(
      new Option(
        '--base-of-base <how>',
        'if the base has a base itself: flatten uses that base instead, refuse fails ' +
          '(default: flatten)'
      ).choices(['flatten', 'refuse'])
    )
    .option('--name <name>', 'with --base latest, the name of the history (default: the last part of the path)')
    .option(
      '--dictionaries',
      'in directories, compress similar small files with a shared dictionary, which readers fetch too; only IPFSz ' +
        'can read these files'
    )
    .option(
      '--no-filters',
      'compress sound and other arrays of numbers as they are: larger, but tools such as zstd -dc can read them'
    )
    .option('--no-detect', 'compress even files that would not shrink')
    .option('--deterministic', 'compute the same CID as ipfsz in a browser')
    .option('--hidden', 'in directories, also add hidden entries, whose names begin with a dot')
    .option(
      '--ignore <pattern>',
      'in directories, skip entries that match this .gitignore pattern: .git, *.log or /build/; repeatable',
      collect(text => text, false)
    )
    .option('--gitignore', 'in directories, skip .git and what .gitignore files exclude')
    .option('-w, --wrap-with-directory', 'wrap all paths in one new directory')
    .option('-n, --only-hash', 'only compute the CIDs, store nothing')
    .option('--dry-run', 'compute CIDs, and how much would be newly stored; store nothing')
    .option('--preserve-mode', 'keep file modes, such as executable bits')
    .option('--no-preserve-mode', 'do not keep file modes (default)')
    .option('--preserve-mtime', 'keep modification times')
    .option('--no-preserve-mtime', 'do not keep modification times (default)')
    .option('--link', 'also compute the CIDs of the uncompressed files, and link them')
    .option('--no-cache', 'read all files again, even if unchanged since the last add')
    .option('--no-pin', 'do not pin: the next ipfsz gc deletes the blocks')
    .option('--no-sync', 'do not sync to disk: a power cut may lose what was just added')
    .option(
      '--kubo <address>',
      'add to a running Kubo node instead of the repo: http://127.0.0.1:5001 or /ip4/127.0.0.1/tcp/5001'
    )
    .option('-q, --quiet', 'print only CIDs')
    .option('-Q, --quieter', 'print only the CID of each path, not of files in directories')
    .option('-r, --recursive', 'for compatibility with Kubo: directories are always added recursively')
    .option('-p, --progress', 'for compatibility with Kubo: terminals always show progress')
    .option('--cid-version <n>', 'for compatibility with Kubo: must be 1', parseCidVersion)
    .action(async (paths: string[], flags: AddFlags) => {
      if (flags.optimize === 'ranges' && flags.codec === 'none') {
        throw new UsageError('--optimize ranges cannot be combined with --codec none')
      }

      if (flags.optimize != null && flags.optimize !== 'ranges' && flags.codec !== 'auto') {
        throw new UsageError(`--optimize ${flags.optimize} requires --codec auto, but the codec is ${flags.codec}`)
      }

      const { codec, level, frameSize, cut, detect, optimize, baseOfBase, filters } = flags

      if (codec === 'none' && (level != null || frameSize != null || cut != null || detect === false)) {
        throw new UsageError(
          '--level, --frame-size, --cut and --no-detect cannot be combined with --codec none'
        )
      }

      if (cut === 'content' && (frameSize != null || flags.base != null)) {
        throw new UsageError(
          `--cut content cannot be combined with --${frameSize == null ? 'base: choose one of them' : 'frame-size'}`
        )
      }

      if (flags.base != null && !['zstd', 'auto'].includes(flags.codec ?? 'zstd')) {
        throw new UsageError(`--base requires zstd, but the codec is ${flags.codec}`)
      }

      if (flags.base != null && (flags.kubo != null || flags.onlyHash === true)) {
        throw new UsageError('--base cannot be combined with --kubo or --only-hash: it needs the repo')
      }

      if (flags.baseOfBase != null && (flags.base == null || flags.base === 'latest')) {
        throw new UsageError(
          flags.base == null
            ? '--base-of-base requires --base'
            : '--base-of-base cannot be combined with --base latest: its versions all have the same base'
        )
      }

      if (flags.name != null && flags.base !== 'latest') {
        throw new UsageError('--name requires --base latest')
      }

      if (flags.dictionaries === true && !['zstd', 'auto'].includes(flags.codec ?? 'zstd')) {
        throw new UsageError(`--dictionaries requires zstd, but the codec is ${flags.codec}`)
      }

      if (flags.dictionaries === true && (flags.base != null || cut === 'content')) {
        throw new UsageError(
          `--dictionaries cannot be combined with ${flags.base == null ? '--cut content' : '--base'}: choose one`
        )
      }

      if (flags.kubo != null && flags.sync === false) {
        throw new UsageError(
          '--no-sync cannot be combined with --kubo: Kubo decides when to sync (Datastore.Spec in its config)'
        )
      }

      if (flags.dryRun === true && (flags.kubo != null || flags.link === true || flags.onlyHash === true)) {
        throw new UsageError('--dry-run cannot be combined with --kubo, --link or --only-hash')
      }

      if (flags.onlyHash === true && (flags.kubo != null || flags.link === true)) {
        throw new UsageError('--only-hash cannot be combined with --kubo or --link: it stores nothing')
      }

      const { add } = await import('../commands/add.ts')
      await add(paths, {
        ...flags,
        compression: {
          codec, optimize, level, frameSize, cut, baseOfBase, filters, detect,
          dictionaries: flags.dictionaries === true ? 'auto' : undefined
        },
        wrap: flags.wrapWithDirectory,
        // on by default where it is safe
        cache: flags.cache === false ? false : undefined,
        preserve: { mode: flags.preserveMode === true, mtime: flags.preserveMtime === true }
      }, context())
    })
}

function parseCidVersion (text: string): number {
  if (text !== '1') {
    throw new UsageError(
      `--cid-version ${text} is not supported: ipfsz creates only CIDs of version 1, because version 0 cannot ` +
        'record how a file is compressed. Omit the option'
    )
  }

  return 1
}
