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
        'what --codec auto optimizes: the stored size, or the time until a reader has the file (default: balanced); ' +
          'with any codec, ranges: reading small parts, as of databases'
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
        'where frames end: after --frame-size bytes, or where the content says, so that similar files share blocks ' +
          '(default: size)'
      ).choices(['size', 'content'])
    )
    .option(
      '--base <cid>',
      'an earlier version of the file or directory, in the repo: what it has in common with it is stored once; ' +
        'latest: the last version that was added so under the same name (ipfsz log lists them)'
    )
    .addOption(
      new Option(
        '--base-of-base <how>',
        'what becomes of a base that has a base itself: flatten refers back to that one, refuse adds nothing ' +
          '(default: flatten)'
      ).choices(['flatten', 'refuse'])
    )
    .option('--name <name>', 'with --base latest, the name of what is added (default: the last name of its path)')
    .option(
      '--dictionaries',
      'in directories, store once what small files of a kind have in common: reading one needs its dictionary too'
    )
    .option('--no-filters', 'compress sound and other arrays of numbers as they are, so that zstd -dc can read them')
    .option('--no-detect', 'compress even files that would not shrink')
    .option('--deterministic', 'compute the same CID as ipfsz in a browser')
    .option('--hidden', 'also add names that begin with a dot, in directories')
    .option(
      '--ignore <pattern>',
      'in directories, skip what matches a pattern, as in .gitignore: .git, *.log or /build/; repeatable',
      collect(text => text, false)
    )
    .option('--gitignore', 'in directories, skip what .gitignore files say, and .git')
    .option('-w, --wrap-with-directory', 'put all paths into one new directory, under their names')
    .option('-n, --only-hash', 'only compute the CIDs: store nothing')
    .option('--preserve-mode', 'keep file modes, such as executable bits')
    .option('--no-preserve-mode', 'do not keep file modes (default)')
    .option('--preserve-mtime', 'keep modification times')
    .option('--no-preserve-mtime', 'do not keep modification times (default)')
    .option('--link', 'also compute the CIDs of the uncompressed files, and link them')
    .option('--no-pin', 'do not pin: the next ipfsz gc deletes the blocks')
    .option('--no-sync', 'do not sync to disk: a power cut may lose what was just added')
    .option(
      '--kubo <address>',
      'add to a running Kubo instead of the repo, and pin there: http://127.0.0.1:5001 or /ip4/127.0.0.1/tcp/5001'
    )
    .option('-q, --quiet', 'print only CIDs')
    .option('-Q, --quieter', 'print only the CID of each path, without those of files in directories')
    .option('-r, --recursive', 'accepted as in Kubo: directories are always added with everything in them')
    .option('-p, --progress', 'accepted as in Kubo: a terminal always shows the progress of what takes long')
    .option('--cid-version <n>', 'accepted as in Kubo: must be 1', parseCidVersion)
    .action(async (paths: string[], flags: AddFlags) => {
      if (flags.optimize === 'ranges' && flags.codec === 'none') {
        throw new UsageError('--optimize ranges needs a codec: it cannot be combined with --codec none')
      }

      if (flags.optimize != null && flags.optimize !== 'ranges' && flags.codec !== 'auto') {
        throw new UsageError(`--optimize ${flags.optimize} needs --codec auto, but the codec is ${flags.codec}`)
      }

      const { codec, level, frameSize, cut, detect } = flags

      if (codec === 'none' && (level != null || frameSize != null || cut != null || detect === false)) {
        throw new UsageError(
          '--level, --frame-size, --cut and --no-detect need a codec: they cannot be combined with --codec none'
        )
      }

      if (cut === 'content' && (frameSize != null || flags.base != null)) {
        throw new UsageError(
          `--cut content cannot be combined with --${frameSize == null ? 'base: choose one of them' : 'frame-size'}`
        )
      }

      if (flags.base != null && !['zstd', 'auto'].includes(flags.codec ?? 'zstd')) {
        throw new UsageError(`--base needs zstd, but the codec is ${flags.codec}`)
      }

      if (flags.base != null && (flags.kubo != null || flags.onlyHash === true)) {
        throw new UsageError('--base needs the repo: it cannot be combined with --kubo or --only-hash')
      }

      if (flags.baseOfBase != null && (flags.base == null || flags.base === 'latest')) {
        throw new UsageError(
          flags.base == null
            ? '--base-of-base needs --base'
            : '--base-of-base cannot be combined with --base latest, whose versions all have the same base'
        )
      }

      if (flags.name != null && flags.base !== 'latest') {
        throw new UsageError('--name is the name of a history: it needs --base latest')
      }

      if (flags.dictionaries === true && !['zstd', 'auto'].includes(flags.codec ?? 'zstd')) {
        throw new UsageError(`--dictionaries needs zstd, but the codec is ${flags.codec}`)
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

      if (flags.onlyHash === true && (flags.kubo != null || flags.link === true)) {
        throw new UsageError('--only-hash stores nothing: it cannot be combined with --kubo or --link')
      }

      const {
        quiet = false,
        quieter = false,
        deterministic = false,
        link = false,
        pin = true,
        sync = true,
        hidden = false,
        ignore = [],
        gitignore = false,
        preserveMode: mode = false,
        preserveMtime: mtime = false,
        wrapWithDirectory: wrap = false,
        onlyHash = false,
        kubo,
        base,
        name,
        dictionaries = false,
        recursive: _recursive,
        progress: _progress,
        cidVersion: _cidVersion,
        ...compression
      } = flags
      const { add } = await import('../commands/add.ts')
      await add(
        paths,
        {
          compression: { ...compression, ...dictionaries ? { dictionaries: 'auto' } : {} },
          deterministic,
          quiet,
          quieter,
          link,
          wrap,
          onlyHash,
          pin,
          sync,
          hidden,
          ignore,
          gitignore,
          preserve: { mode, mtime },
          ...base == null ? {} : { base },
          ...name == null ? {} : { name },
          ...kubo == null ? {} : { kubo }
        },
        context()
      )
    })
}

/** @throws {UsageError} it is not 1 */
function parseCidVersion (text: string): number {
  if (text !== '1') {
    throw new UsageError(
      `--cid-version ${text} is not possible: ipfsz makes CIDs of version 1 only, because a CID of version 0 cannot ` +
        'say how a file is compressed. Leave the option out'
    )
  }

  return 1
}
