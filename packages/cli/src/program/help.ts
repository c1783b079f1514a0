import { EXAMPLES } from './help-texts.ts'
import { commandPath, globalOptions, sectionsOf } from './sections.ts'
import type { Section } from './sections.ts'
import type { Command, Help } from 'commander'

/** The help of a command: what it is for, its options, examples, and last what every command takes. */
export function formatHelp (command: Command, helper: Help): string {
  const sections = sectionsOf(command, helper)
  const last = globalOptions(command, helper)
  const width = Math.max(...[...sections, last].flatMap(({ items }) => items.map(({ term }) => term.length)))
  const lines = ({ heading, items }: Section): string[] => [
    heading,
    ...items.map(({ term, description }) => helper.formatItem(term, width, description, helper)),
    ''
  ]
  const examples = EXAMPLES[commandPath(command)] ?? []

  return [
    `Usage: ${helper.commandUsage(command)}`,
    '',
    helper.boxWrap(helper.commandDescription(command), helper.helpWidth ?? 80),
    '',
    ...sections.flatMap(lines),
    ...examples.length === 0
      ? []
      : ['Examples:', ...examples.flatMap(({ line, does }) => [`  # ${does}`, `  ${line}`]), ''],
    ...lines(last)
  ].join('\n')
}
