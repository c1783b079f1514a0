import { hideGivenIn } from '@ipfsz/utils/hide-secrets'
import { Command, Option } from 'commander'
import { UsageError } from '../errors.ts'
import { Output, printable } from '../terminal/output.ts'
import { quote } from '../terminal/quote.ts'
import { CODECS, defineAddCommand } from './program-add.ts'
import { defineConfigCommands } from './program-config.ts'
import { defineFileCommands } from './program-files.ts'
import { nearWords } from '@ipfsz/utils/near-words'
import { TARGET } from './targets.ts'
import { defineGatewayCommand } from './program-gateway.ts'
import { defineKeepCommands } from './program-keep.ts'
import { defineNetworkCommands } from './program-network.ts'
import { defineOriginalsCommands } from './program-originals.ts'
import { defineRepoCommands } from './program-repo.ts'
import { formatHelp } from './help.ts'
import { defineShellCommands } from './program-shell.ts'
import { defineSiteCommands } from './program-site.ts'
import { commandPath, HELP_DESCRIPTION, HELP_FLAGS } from './sections.ts'
import { defaultRepoPath, packageVersion, repoPath, safeRepoPath } from '@ipfsz/node/environment'
import type { Context } from '../context.ts'
import type { Io } from '../io.ts'

/** The options of all commands. */
export interface GlobalOptions {
  repo?: string
  json?: boolean
  verbose?: boolean
  human?: boolean
  config?: boolean
}

/** How wide help is without a terminal, in characters. */
const DEFAULT_WIDTH = 80

/** What only prints: it ends, with 0, when nobody reads on. All other commands do their work to its end. */
const PRINTING = new Set([
  'bench', 'config ls', 'cat', 'cid mark', 'cid plain', 'codecs', 'complete', 'completion', 'diff', 'du', 'find',
  'id', 'link ls', 'log', 'ls', 'name resolve', 'originals ls', 'peers', 'pin ls', 'providers', 'stat', 'stats',
  'tree', 'verify', 'version'
])

/** What says nothing of the repo's content, or mends its settings. It works although these are damaged. */
const WITHOUT_CONFIG = /^(?:cid|codecs|complete|completion|config|help|version)\b/

type Define = (program: Command, context: () => Context) => void

/** What defines which commands. Those of shells are not named: completion and help need all others too. */
const DEFINITIONS: ReadonlyArray<readonly [define: Define, ...names: string[]]> = [
  [defineAddCommand, 'add'],
  [defineFileCommands, 'cat', 'get', 'ls', 'tree', 'find', 'stat', 'diff', 'du', 'verify', 'repair', 'bench'],
  [defineKeepCommands, 'pin', 'rm', 'gc', 'log', 'forget', 'car', 'import', 'link'],
  [defineNetworkCommands, 'daemon', 'id', 'peers', 'connect', 'providers', 'name'],
  [defineOriginalsCommands, 'originals'],
  [defineSiteCommands, 'site'],
  [defineGatewayCommand, 'gateway'],
  [defineRepoCommands, 'init', 'stats', 'migrate', 'blockstore'],
  [defineConfigCommands, 'config'],
  [defineShellCommands],
  [defineCidCommands, 'cid', 'codecs']
]

/**
 * The command line. The code of a command is loaded when the command runs.
 *
 * @param args - if the first names a command, most others are left out: to define all takes 6 ms longer
 */
export function createProgram (io: Io, args: readonly string[] = []): Command {
  const { command: typed = 'ipfsz' } = io
  const [first] = args
  const program = new Command(typed)

  // with the settings of the repo, once they are known
  let configured = io

  const context = (): Context => {
    const { repo, json = false, verbose = false, human = false } = program.opts<GlobalOptions>()

    return {
      io: configured,
      output: new Output(io, {
        json, verbose, human, given: args, repo: repo == null ? undefined : quote(repoPath(repo, io), 'DIR')
      }),
      signal: io.signal,
      // a getter, because it fails without a home directory, and not every command has a repo
      get repo () { return safeRepoPath(repo, io) }
    }
  }

  // the command whose options are being read
  let current = program
  const enter = (_: Command, below: Command): void => {
    current = below.hook('preSubcommand', enter)
  }

  program
    .hook('preSubcommand', enter)
    .hook('preAction', async (_, command) => {
      const { repo, config = true } = program.opts<GlobalOptions>()

      if (config && !WITHOUT_CONFIG.test(commandPath(command))) {
        configured = await withConfig(command, repo, io)
      }

      const { output, dryRun = false } = command.opts<{ output?: string, dryRun?: boolean }>()

      // `-o -` prints what others write to disk, and a dry run what others do
      if (!PRINTING.has(commandPath(command)) && output !== '-' && !dryRun) {
        io.outliveReader?.()
      }
    })
    .description('Compress files, add them to IPFS, and read them back unchanged.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--repo <dir>', 'directory of the repo (default: $IPFSZ_PATH or ~/.ipfsz)')
    .option('--json', 'print results as JSON, one object per line')
    .option('--human', 'print sizes with units, such as 1.5 MiB, in pipes too')
    .option('--no-config', 'do not use the settings of ipfsz config')
    .option('--verbose', 'also print stack traces, and a summary of fetched data')
    .helpOption(HELP_FLAGS, HELP_DESCRIPTION)
    // not that of Commander, which shows the help of everything for a command that is not there
    .helpCommand(false)
    .configureHelp({ formatHelp })
    .exitOverride()
    .configureOutput({
      writeOut: text => { io.stdout.write(text) },
      writeErr: text => { io.stderr.write(text) },
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? DEFAULT_WIDTH,
      outputError: (message, write) => {
        const line = hideGivenIn(message, args).replace(/^error: /, '').trim().replaceAll(/\s*\n\s*/g, ' ')
        const { json = false } = program.opts<GlobalOptions>()

        if (json) {
          new Output(io, { json, verbose: false }).error(line, new UsageError(line))
        } else {
          const command = `${typed} ${commandPath(current)}`.trim()
          write(`ipfsz: ${printable(line)} (see ${command} --help)\n`)
        }
      }
    })

  program.command('help')
    .description('show help for a command')
    .argument('[command...]')
    .action((names: string[]) => {
      current = program

      for (const name of names) {
        const next = current.commands.find(command => command.name() === name)

        if (next == null) {
          const near = nearWords(name, current.commands.map(command => command.name()))
          const hint = near.length === 0 ? '' : ` (Did you mean ${near.join(' or ')}?)`
          current.error(`unknown command '${name}'${hint}`, { code: 'commander.unknownCommand' })
        } else {
          current = next
        }
      }

      current.outputHelp()
    })

  const asked = DEFINITIONS.find(([, ...names]) => first != null && names.includes(first))

  for (const [define] of asked == null ? DEFINITIONS : [asked]) {
    define(program, context)
  }

  return program
}

/** What the command uses of its process, after the settings of its repo became defaults of its options. */
async function withConfig (command: Command, asked: string | undefined, io: Io): Promise<Io> {
  const repo = asked ?? defaultRepoPath(io)

  // whatever needs a repo says that there is no directory for one
  if (repo == null) {
    return io
  }

  const { configIn, readConfig } = await import('@ipfsz/node/config')
  const config = await readConfig(repoPath(asked, io))

  if (Object.keys(config).length === 0) {
    return io
  }

  const { applyConfig } = await import('./apply-config.ts')

  return applyConfig(command, config, { file: configIn(repo), io })
}

function defineCidCommands (program: Command, context: () => Context): void {
  const cid = program.command('cid').description('convert between plain and marked CIDs')

  cid.command('mark')
    .description('print the marked twin of a plain dag-pb CID (raw CIDs have none)')
    .argument('<cid>', TARGET)
    .addOption(
      new Option('--codec <name>', 'codec of the compressed file').choices([...CODECS, 'tree']).makeOptionMandatory()
    )
    .action(async (text: string, { codec }: { codec: string }) =>
      (await import('../commands/cid.ts')).markCid(text, codec, context()))

  cid.command('plain')
    .description('print the plain twin of a marked CID, which any IPFS node can pin and provide')
    .argument('<cid>', TARGET)
    .action(async (text: string) => (await import('../commands/cid.ts')).plainCid(text, context()))

  program.command('codecs')
    .description('list the codecs and their implementations available here')
    .action(async () => {
      const { codecs } = await import('../commands/codecs.ts')
      codecs(context())
    })
}
