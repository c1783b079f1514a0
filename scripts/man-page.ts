/**
 * Writes packages/cli/man/ipfsz.1, the man page of the command, from the definition that its help is made of. npm
 * installs it with the command. Run after tsc.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXAMPLES } from '../packages/cli/dist/program/help-texts.js'
import {
  commandGroups, commandPath, globalOptions, sectionsOf, SETTINGS
} from '../packages/cli/dist/program/sections.js'
import { documentedProgram } from './documented-program.ts'
import type { Section } from '../packages/cli/dist/program/sections.js'
import type { Command } from './documented-program.ts'

const FILE = join(dirname(import.meta.dirname), 'packages/cli/man/ipfsz.1')

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '~': '\\(ti',
  '^': '\\(ha'
}

/** The source of the man page, in roff with the macros of man(7). */
export function manPage (program: Command): string {
  const helper = program.createHelp()

  const describe = (command: Command): string[] => [
    `.SS ${roff(helper.commandUsage(command))}`,
    text(command.description()),
    ...sectionsOf(command, helper)
      .filter(({ heading }) => command.commands.length === 0 || heading === SETTINGS)
      .flatMap(list),
    ...examples(commandPath(command)),
    ...command.commands.flatMap(describe)
  ]

  return [
    `.TH IPFSZ 1 "" "ipfsz ${program.version()}" "User Commands"`,
    '.SH NAME',
    `ipfsz \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    roff(helper.commandUsage(program)),
    ...examples(''),
    ...commandGroups(program, helper).flatMap(({ heading, commands }) => [
      `.SH ${roff(heading.replace(/:$/, '').toUpperCase())}`,
      ...commands.filter(command => command.name() !== 'help').flatMap(describe)
    ]),
    '.SH GLOBAL OPTIONS',
    ...items(globalOptions(program, helper)),
    ''
  ].join('\n')
}

function list (section: Section): string[] {
  return ['.PP', `.B ${roff(section.heading)}`, ...items(section)]
}

function items ({ items }: Section): string[] {
  return items.flatMap(({ term, description }) => ['.TP', `.B ${roff(term)}`, text(description)])
}

function examples (path: string): string[] {
  return (EXAMPLES[path] ?? []).flatMap(({ line, does }) => [
    '.PP',
    text(`${does}:`),
    '.PP',
    '.RS',
    '.EX',
    text(line),
    '.EE',
    '.RE'
  ])
}

/** A line of text, which may begin with a character that begins a request of roff. */
function text (line: string): string {
  return roff(line).replace(/^(?=[.'])/, '\\&')
}

/** Escape what roff would read as its own. */
function roff (line: string): string {
  return line.replaceAll(/[\\'^~-]/g, character => ESCAPES[character])
}

if (import.meta.main) {
  const program = documentedProgram()

  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, manPage(program))
}
