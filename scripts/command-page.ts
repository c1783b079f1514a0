/**
 * Writes docs/command.md, all commands and options, from the definition that the help is made of. Run after tsc.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandGroups, globalOptions, sectionsOf, SETTINGS } from '../packages/cli/dist/program/sections.js'
import { documentedProgram } from './documented-program.ts'
import type { Section } from '../packages/cli/dist/program/sections.js'
import type { Command } from './documented-program.ts'

const INTRODUCTION = `# All commands

<!-- Written by scripts/command-page.ts from the help of the command: change that, and run it again. -->

What \`ipfsz COMMAND --help\` and \`man ipfsz\` say too, with examples. [The command](../packages/cli/README.md) \
describes output, exit codes, settings and JSON, and what the commands do beyond their options.
`

export function commandPage (): string {
  const program = documentedProgram()
  const helper = program.createHelp()

  const describe = (command: Command): string[] => [
    `### \`${helper.commandUsage(command).replace(' [options]', '')}\`\n`,
    `${sentence(command.description())}\n`,
    ...sectionsOf(command, helper)
      // commands of a command have headings of their own
      .filter(({ heading }) => command.commands.length === 0 || heading === SETTINGS)
      .flatMap(section => table(section)),
    ...command.commands.flatMap(describe)
  ]

  return [
    INTRODUCTION,
    ...commandGroups(program, helper).flatMap(({ heading, commands }) => [
      `## ${heading.replace(/:$/, '')}\n`,
      ...commands.filter(command => command.name() !== 'help').flatMap(describe)
    ]),
    '## Options of every command\n',
    ...table(globalOptions(program, helper))
  ].join('\n')
}

function table ({ heading, items }: Section): string[] {
  return [
    `| ${heading.replace(/:$/, '').toLowerCase()} | |`,
    '|---|---|',
    ...items.map(({ term, description }) => `| \`${cell(term)}\` | ${cell(text(description))} |`),
    ''
  ]
}

/** A pipe ends a cell, also in code. */
function cell (text: string): string {
  return text.replaceAll('|', '\\|')
}

/** What Markdown would read as HTML, such as `<n>`, and lists of choices without quotes. */
function text (description: string): string {
  return description.replaceAll(/<([\w-]+)>/g, '`<$1>`').replaceAll(/"([^"]*)"/g, '`$1`').replaceAll('*', '\\*')
}

function sentence (description: string): string {
  return `${description.charAt(0).toUpperCase()}${text(description.slice(1))}.`
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '../docs/command.md'), commandPage())
}
