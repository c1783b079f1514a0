import { Argument } from 'commander'
import { complete } from './complete.ts'
import { COMPLETION_SCRIPTS, FILES_LINE } from './completion-scripts.ts'
import { repoPath } from '@ipfsz/node/environment'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** Define the commands about the command itself. */
export function defineShellCommands (program: Command, context: () => Context): void {
  program.command('version')
    .description('print the version')
    .action(async () => {
      const { version } = await import('../commands/version.ts')
      version(context())
    })

  program.command('completion')
    .description('print a script that completes commands, options and CIDs in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(COMPLETION_SCRIPTS)))
    .action((shell: keyof typeof COMPLETION_SCRIPTS) => {
      context().io.stdout.write(COMPLETION_SCRIPTS[shell])
    })

  program.command('complete', { hidden: true })
    .description('print possible next words, for the scripts of ipfsz completion')
    .argument('[word...]')
    .action(async (words: string[]) => {
      const { expected, current, repo } = complete(program, words)
      const { io, ...rest } = context()
      const inRepo = { ...rest, io, ...repo == null ? {} : { repo: repoPath(repo, io) } }
      const { printCids, printWords } = await import('../commands/complete.ts')

      switch (expected.kind) {
        case 'file':
          io.stdout.write(`${FILES_LINE}\n`)
          break
        case 'cid':
          await printCids(current, inRepo)
          break
        default:
          printWords(expected.words, current, inRepo)
      }
    })
}
