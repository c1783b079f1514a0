import { checkLevel, UnknownCodecError } from '@ipfsz/codecs'
import { allCodecs } from '@ipfsz/codecs/all'
import { Option } from 'commander'
import { UsageError } from '../errors.ts'
import { CODECS } from './program-files.ts'
import { parseNumber } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { RepoCompression } from '../repo/repo-compression.ts'
import type { Command } from 'commander'

/** The commands about a repo as a whole, and how its blocks are stored. */
export function defineRepoCommands (program: Command, context: () => Context): void {
  program.command('init')
    .description('create a repo (ipfsz add does this too if there is none)')
    .addOption(new Option('--blockstore-codec <name>', 'compress all blocks on disk; CIDs do not change').choices([...CODECS, 'none']))
    .option('--blockstore-level <n>', 'how hard to try', parseNumber)
    .action(async ({ blockstoreCodec: codec, blockstoreLevel: level }: { blockstoreCodec?: string, blockstoreLevel?: number }) => {
      if (codec == null && level != null) {
        throw new UsageError('--blockstore-level goes with --blockstore-codec')
      }

      const { init } = await import('../commands/init.ts')
      await init(codec == null ? undefined : toCompression(codec, level), context())
    })

  program.command('stats')
    .description('count the blocks of the repo, and what they take on disk')
    .action(async () => {
      const { stats } = await import('../commands/stats.ts')
      await stats(context())
    })

  program.command('blockstore')
    .description('how blocks are stored on disk')
    .command('convert')
    .description('re-encode all blocks with another codec; CIDs do not change')
    .addOption(new Option('--codec <name>', 'what to compress with, none to store blocks as they are').choices([...CODECS, 'none']).makeOptionMandatory())
    .option('--level <n>', 'how hard to try', parseNumber)
    .option('--again', 're-encode blocks that have the codec already, as with another level')
    .action(async ({ codec, level, again = false }: { codec: string, level?: number, again?: boolean }) => {
      if (again && codec === 'none') {
        throw new UsageError('--again is for blocks that are compressed, and does not go with --codec none')
      }

      const { convertBlocks } = await import('../commands/blockstore.ts')
      await convertBlocks({ ...toCompression(codec, level), again }, context())
    })
}

/**
 * @throws {UsageError} a level of nothing
 * @throws {InvalidLevelError}
 */
function toCompression (name: string, level: number | undefined): RepoCompression {
  if (name === 'none') {
    if (level != null) {
      throw new UsageError('none has no levels')
    }

    return { codec: name }
  }

  const codec = allCodecs().find(codec => codec.name === name)

  if (codec == null) {
    throw new UnknownCodecError(name, CODECS)
  }

  return { codec: codec.name, ...level == null ? {} : { level: checkLevel(codec, level) } }
}
