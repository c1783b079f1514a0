import { describeKeys } from './config-keys.ts'
import { COMMAND_GROUPS, COMMON_OPTIONS } from './help-texts.ts'
import type { Command, Help, Option } from 'commander'

/** The heading of the settings that `ipfsz config` changes. */
export const SETTINGS = 'Settings:'
export const HELP_FLAGS = '-h, --help'
export const HELP_DESCRIPTION = 'show this help'

/** A part of the help of a command. */
export interface Section {
  heading: string
  items: Array<{ term: string, description: string }>
}

/** The name of a command below `ipfsz`, such as `pin add`. Empty for `ipfsz` itself. */
export function commandPath (command: Command): string {
  const { parent } = command

  return parent == null ? '' : `${commandPath(parent)} ${command.name()}`.trim()
}

/** The arguments, commands and options of a command, the most important first. Global options are not among them. */
export function sectionsOf (command: Command, helper: Help): Section[] {
  return [
    {
      heading: 'Arguments:',
      items: helper.visibleArguments(command).map(argument => ({
        term: helper.argumentTerm(argument),
        description: helper.argumentDescription(argument)
      }))
    },
    ...commandSections(command, helper),
    ...commandPath(command) === 'config' ? [{ heading: SETTINGS, items: describeKeys() }] : [],
    ...command.parent == null ? [] : optionSections(command, helper)
  ].filter(({ items }) => items.length > 0)
}

/** The options that every command takes. */
export function globalOptions (command: Command, helper: Help): Section {
  const { options } = programOf(command)
  // only of ipfsz itself
  const shown = options.filter(({ long }) => long !== '--version' || command.parent == null)

  return {
    heading: 'Global options:',
    items: [...shown.map(option => item(option, helper)), { term: HELP_FLAGS, description: HELP_DESCRIPTION }]
  }
}

/** `ipfsz` itself. */
export function programOf (command: Command): Command {
  return command.parent == null ? command : programOf(command.parent)
}

/** The commands of `ipfsz` in groups, by what people do with them. */
export function commandGroups (program: Command, helper: Help): Array<{ heading: string, commands: Command[] }> {
  const commands = helper.visibleCommands(program)

  return COMMAND_GROUPS.map(([heading, names]) => ({
    heading,
    commands: names.flatMap(name => commands.find(command => command.name() === name) ?? [])
  }))
}

function commandSections (command: Command, helper: Help): Section[] {
  if (command.parent != null) {
    return [section('Commands:', helper.visibleCommands(command).filter(command => command.name() !== 'help'))]
  }

  return commandGroups(command, helper).map(({ heading, commands }) => section(heading, commands))

  function section (heading: string, commands: readonly Command[]): Section {
    return {
      heading,
      items: commands.map(command => ({
        term: helper.subcommandTerm(command).replace(' [options]', ''),
        description: helper.subcommandDescription(command)
      }))
    }
  }
}

function optionSections (command: Command, helper: Help): Section[] {
  const common = COMMON_OPTIONS[commandPath(command)]
  const rank = ({ long }: Option): number => common?.indexOf(long ?? '') ?? 0
  const headingOf = (option: Option): string =>
    option.helpGroupHeading ?? (rank(option) < 0 ? 'More options:' : 'Options:')
  const options = command.options.filter(({ hidden }) => !hidden)
  const sorted = [
    ...options.filter(option => rank(option) >= 0).toSorted((a, b) => rank(a) - rank(b)),
    ...options.filter(option => rank(option) < 0)
  ]

  return [...Map.groupBy(sorted, headingOf)].map(([heading, options]) => ({
    heading,
    items: options.map(option => item(option, helper))
  }))
}

function item (option: Option, helper: Help): Section['items'][number] {
  return { term: helper.optionTerm(option), description: helper.optionDescription(option) }
}
