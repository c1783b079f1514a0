import { EXAMPLES } from './help-texts.ts'
import { commandPath, globalOptions, programOf, sectionsOf } from './sections.ts'
import { asTyped } from '../terminal/typed-command.ts'
import { wrap } from '../terminal/wrap.ts'
import type { Section } from './sections.ts'
import type { Command, Help } from 'commander'

/** Columns between the left edge and a term, and between a term and its description. */
const GAP = 2
/** Below this many columns for descriptions, each stands below its term, indented by as many columns as this. */
const MIN_DESCRIPTION = 40
const BELOW_INDENT = 6

/** The help of a command: what it is for, its options, examples, and last what every command takes. */
export function formatHelp (command: Command, helper: Help): string {
  const sections = sectionsOf(command, helper)
  const last = globalOptions(command, helper)
  const width = Math.max(...[...sections, last].flatMap(({ items }) => items.map(({ term }) => term.length)))
  const columns = helper.helpWidth ?? 80
  const typed = (text: string): string => asTyped(text, programOf(command).name())
  const isNarrow = columns - GAP - width - GAP < MIN_DESCRIPTION
  const lines = ({ heading, items }: Section): string[] => [
    heading,
    ...items.map(({ term, description }) => isNarrow
      ? [' '.repeat(GAP) + term, ...wrapped(typed(description), ' '.repeat(BELOW_INDENT), columns)].join('\n')
      : helper.formatItem(term, width, typed(description), helper)),
    ''
  ]
  const examples = EXAMPLES[commandPath(command)] ?? []

  return [
    `Usage: ${helper.commandUsage(command)}`,
    '',
    ...wrapped(typed(helper.commandDescription(command)), '', columns),
    '',
    ...sections.flatMap(lines),
    ...examples.length === 0
      ? []
      : [
        'Examples:',
        ...examples.flatMap(({ line, does }) => [...wrapped(typed(does), '  # ', columns), `  ${typed(line)}`]),
        ''
      ],
    ...lines(last)
  ].join('\n')
}

/** The lines of a text that is as wide as a terminal, each with something before it. */
function wrapped (text: string, before: string, columns: number): string[] {
  return text === '' ? [] : wrap(text, columns - before.length).split('\n').map(line => before + line)
}
