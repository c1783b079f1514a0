import { toSetting } from './config-keys.ts'
import type { Context } from '../context.ts'
import type { Command } from 'commander'

/** Define the commands that change the settings of a repo. */
export function defineConfigCommands (program: Command, context: () => Context): void {
  const config = program.command('config')
    .description(
      'change defaults of options, in config.json of the repo. What is passed on the command line comes first, then ' +
        'variables of the environment, then these settings'
    )

  config.command('set')
    .description('set a default')
    .argument('<key>', 'a setting (ipfsz config --help lists them)')
    .argument('<value...>', 'its value; several for options that can be repeated; true or false for those without one')
    .action(async (key: string, values: string[]) => {
      const setting = toSetting(key, values)
      await (await import('../commands/config.ts')).setConfig(key, setting, context())
    })

  config.command('rm')
    .description('go back to the default of ipfsz')
    .argument('<key...>', 'settings')
    .action(async (keys: string[]) => {
      await (await import('../commands/config.ts')).removeConfig(keys, context())
    })

  config.command('ls')
    .description('list what is set')
    .action(async () => (await import('../commands/config.ts')).listConfig(context()))
}
