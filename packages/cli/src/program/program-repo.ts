import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { isUrlLike } from '@ipfsz/utils/hide-secrets'
import { Option } from 'commander'
import { resolvePath } from '../io.ts'
import { UsageError } from '../errors.ts'
import { CODECS } from './program-add.ts'
import { parseNumber, parseSizeOrNone } from '../terminal/units.ts'
import type { MigrateCommandOptions } from '../commands/migrate.ts'
import type { Context } from '../context.ts'
import type { BlockLayout, RepoCompression } from '@ipfsz/node/init'
import type { Command } from 'commander'

/** Define the commands for a whole repo, and for how it stores blocks. */
export function defineRepoCommands (program: Command, context: () => Context): void {
  program.command('init')
    .description('create a repo (ipfsz add does this too if there is none)')
    .addOption(
      new Option('--blockstore-codec <name>', 'compress all blocks on disk; CIDs do not change').choices([
        ...CODECS,
        'none'
      ])
    )
    .option('--blockstore-level <n>', 'compression level (ipfsz codecs lists them)', parseNumber)
    .addOption(
      new Option('--layout <name>', 'keep many blocks in one file, or each in its own (default: packs)')
        .choices(['packs', 'files'])
    )
    .option('--store <place>', 'share blocks, pins and links with other nodes: mounted directory or s3://BUCKET/PREFIX')
    .option(
      '--cache <size>',
      'size of the local cache for a store in S3, or none (default: 10GiB, or half of the free space if that is ' +
        'less)',
      parseSizeOrNone
    )
    .action(async (
      { blockstoreCodec: codec, blockstoreLevel: level, layout, store, cache }: {
        blockstoreCodec?: string
        blockstoreLevel?: number
        layout?: BlockLayout
        store?: string
        cache?: number
      }
    ) => {
      if (codec == null && level != null) {
        throw new UsageError('--blockstore-level requires --blockstore-codec')
      }

      if (cache != null && (store == null || !isUrlLike(store))) {
        throw new UsageError('--cache requires a store in S3: other stores are not cached')
      }

      if (store != null && (layout === 'files' || codec != null)) {
        throw new UsageError('A shared store keeps blocks in packs, which compress them: omit --layout and ' +
          '--blockstore-codec, or --store')
      }

      const { init, initStore } = await import('../commands/init.ts')
      const compression = codec == null ? undefined : toCompression(codec, level)

      await (store == null
        ? init({ compression, layout }, context())
        : initStore(isUrlLike(store) ? store : resolvePath(store, context().io), { cache }, context()))
    })

  program.command('stats')
    .description('count blocks and the space they take on disk, and show the space saved by compressing')
    .action(async () => (await import('../commands/stats.ts')).stats(context()))

  program.command('migrate')
    .description('copy blocks, pins and links between repos; if interrupted, run it again to continue')
    .argument('<from>', 'a repo of ipfsz or Helia, or s3://BUCKET/PREFIX')
    .argument('<to>', 'a repo (created if missing), or s3://BUCKET/PREFIX')
    .option('--dry-run', 'only count what would be copied; with --verify, also read it and list damaged blocks')
    .option('--verify', 'also check blocks that already exist in <to>, and replace damaged ones')
    .action(async (from: string, to: string, { dryRun = false, verify = false }: Partial<MigrateCommandOptions>) =>
      (await import('../commands/migrate.ts')).migrate(from, to, { dryRun, verify }, context()))

  program.command('blockstore')
    .description('change how blocks are stored on disk')
    .command('convert')
    .description('re-encode all blocks with another codec, or move them into packs or files; CIDs do not change')
    .addOption(
      new Option('--codec <name>', 'codec to compress with; none stores blocks uncompressed').choices([
        ...CODECS,
        'none'
      ])
    )
    .option('--level <n>', 'compression level (ipfsz codecs lists them)', parseNumber)
    .option('--again', 'also re-encode blocks that already use this codec, for example to change the level')
    .addOption(
      new Option('--layout <name>', 'move all blocks into packs, or into a file each; if interrupted, run it again')
        .choices(['packs', 'files'])
        .conflicts(['codec', 'level', 'again'])
    )
    .action(async (
      { codec, level, layout, again = false }: { codec?: string, level?: number, layout?: BlockLayout, again?: boolean }
    ) => {
      const { convertBlocks, convertLayout } = await import('../commands/blockstore.ts')

      if (layout != null) {
        await convertLayout(layout, context())
        return
      }

      if (codec == null) {
        throw new UsageError('Specify what to convert to: --codec or --layout')
      }

      if (again && codec === 'none') {
        throw new UsageError('--again cannot be combined with --codec none: it re-encodes compressed blocks')
      }

      await convertBlocks({ ...toCompression(codec, level), again }, context())
    })
}

/** @throws {UsageError} `none` with a level */
function toCompression (name: string, level: number | undefined): RepoCompression {
  if (name === 'none') {
    if (level != null) {
      throw new UsageError(`The codec none has no levels, but the level is ${level}: drop the level`)
    }

    return { codec: name }
  }

  const codec = allCodecs().find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, CODECS)
  }

  return { codec: codec.name, ...level == null ? {} : { level: checkLevel(codec, level) } }
}
