import { Command, Option } from 'commander'
import { Output, printable } from '../terminal/output.ts'
import { CODECS, defineFileCommands } from './program-files.ts'
import { defineKeepCommands } from './program-keep.ts'
import { defineNetworkCommands } from './program-network.ts'
import { defineRepoCommands } from './program-repo.ts'
import { packageVersion } from '../version.ts'
import { repoPath } from '../repo/repo.ts'
import type { Context } from '../context.ts'
import type { Io } from '../io.ts'

interface GlobalOptions {
  repo?: string
  json?: boolean
  verbose?: boolean
}

/** How wide help is where there is no terminal, in characters. */
const DEFAULT_WIDTH = 80

/** The command line. Each command is loaded when it is called. */
export function createProgram (io: Io): Command {
  const program = new Command('ipfsz')

  const context = (): Context => {
    const { repo, json = false, verbose = false } = program.opts<GlobalOptions>()

    return { io, output: new Output(io, { json, verbose }), signal: io.signal, repo: repoPath(repo, io) }
  }

  program
    .description('Add files to IPFS compressed, and read them back as they were.')
    .version(packageVersion())
    .option('--repo <dir>', 'where blocks are kept (default: $IPFSZ_PATH or ~/.ipfsz)')
    .option('--json', 'print results as JSON, an object a line')
    .option('--verbose', 'show where an error came from')
    .exitOverride()
    .configureOutput({
      writeOut: text => { io.stdout.write(text) },
      writeErr: text => { io.stderr.write(text) },
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? DEFAULT_WIDTH,
      outputError: (message, write) => { write(`ipfsz: ${printable(message.replace(/^error: /, '').trim().replaceAll(/\s*\n\s*/g, ' '))} (see ipfsz --help)\n`) }
    })

  defineFileCommands(program, context)
  defineKeepCommands(program, context)
  defineNetworkCommands(program, context)
  defineRepoCommands(program, context)

  const cid = program.command('cid').description('turn plain CIDs into marked ones and back')

  cid.command('mark')
    .description('the marked twin of a plain CID')
    .argument('<cid>')
    .addOption(new Option('--codec <name>', 'what the file is compressed with').choices([...CODECS, 'tree']).makeOptionMandatory())
    .action(async (text: string, { codec }: { codec: string }) => {
      const { markCid } = await import('../commands/cid.ts')
      markCid(text, codec, context())
    })

  cid.command('plain')
    .description('the plain twin of a marked CID, which any IPFS node knows')
    .argument('<cid>')
    .action(async (text: string) => {
      const { plainCid } = await import('../commands/cid.ts')
      plainCid(text, context())
    })

  program.command('codecs')
    .description('show the codecs and what runs them here')
    .action(async () => {
      const { codecs } = await import('../commands/codecs.ts')
      codecs(context())
    })

  return program
}
