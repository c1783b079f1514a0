// Room: names, options and help of the commands. Texts are in `help-texts.ts`, from which the man page is made too;
// `complete.ts` finds out what may come next in a shell.
import { HELP_DESCRIPTION, programOf } from './sections.ts'
import type { Suggestion } from '../commands/complete.ts'
import type { Argument, Command, Option } from 'commander'

/** What may come next on the command line: some words, a path on this machine, or a CID. */
export type Expected =
  | { kind: 'words', words: Suggestion[] }
  | { kind: 'file' }
  | { kind: 'cid' }

export interface Completion {
  expected: Expected
  /** The word so far. */
  current: string
  /** What `--repo` says. */
  repo: string | undefined
}

/** Arguments and values of options, by the names that the help shows. */
const FILES = new Set(['path', 'file', 'dir'])
const CIDS = new Set(['cid', 'original', 'marked'])

const NOTHING: Expected = { kind: 'words', words: [] }

/**
 * Find out what may come next.
 *
 * @param typed - the words after `ipfsz`. The last one is being typed, and may be empty
 */
export function complete (program: Command, typed: readonly string[]): Completion {
  const words = [...typed]
  const current = words.pop() ?? ''
  const isHelp = words[0] === 'help'
  let command = program
  let operands = 0
  let waiting: Option | undefined
  let areOptionsOver = false
  let repo: string | undefined

  for (const word of isHelp ? words.slice(1) : words) {
    const [flag, value] = word.split(/=(.*)/s)

    if (waiting != null && (waiting.required || !word.startsWith('-'))) {
      repo = waiting.long === '--repo' ? word : repo
      waiting = undefined
    } else if (word === '--') {
      areOptionsOver = true
    } else if (word.startsWith('-') && !areOptionsOver) {
      const option = findOption(command, flag)
      repo = option?.long === '--repo' ? value ?? repo : repo
      waiting = value == null && (option?.required === true || option?.optional === true) ? option : undefined
    } else {
      const below = operands === 0 ? command.commands.find(below => below.name() === word) : undefined
      command = below ?? command
      operands += below == null ? 1 : 0
    }
  }

  if (waiting != null && (waiting.required || waiting.argChoices != null)) {
    return { expected: valueOf(waiting), current, repo }
  }

  const [flag, value] = current.split(/=(.*)/s)
  const option = areOptionsOver || value == null ? undefined : findOption(command, flag)

  if (option != null) {
    const expected = valueOf(option)

    return { expected: expected.kind === 'words' ? prefixed(expected.words, `${flag}=`) : NOTHING, current, repo }
  }

  if (current.startsWith('-') && !areOptionsOver) {
    return { expected: { kind: 'words', words: optionsOf(command) }, current, repo }
  }

  return { expected: isHelp ? commandsOf(command) : operandOf(command, operands), current, repo }
}

function findOption (command: Command, flag: string): Option | undefined {
  return [...command.options, ...programOf(command).options].find(({ short, long }) => flag === short || flag === long)
}

function optionsOf (command: Command): Suggestion[] {
  const options = command.parent == null ? command.options : [...command.options, ...programOf(command).options]

  return [
    ...options
      .filter(({ hidden, long }) => !hidden && (long !== '--version' || command.parent == null))
      .map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
    { word: '--help', description: HELP_DESCRIPTION }
  ]
}

function commandsOf (command: Command): Expected {
  const words = command.createHelp().visibleCommands(command)
    .filter(below => below.name() !== 'help' || command.parent == null)
    .map(below => ({ word: below.name(), description: below.description() }))

  return { kind: 'words', words }
}

function operandOf (command: Command, index: number): Expected {
  const { commands, registeredArguments } = command

  if (commands.length > 0) {
    return index === 0 ? commandsOf(command) : NOTHING
  }

  const last = registeredArguments.at(-1)
  const argument = registeredArguments[index] ?? (last?.variadic === true ? last : undefined)

  return argument == null ? NOTHING : expect(argument.name(), argument)
}

function valueOf (option: Option): Expected {
  return expect(/[<[]([^>\]]+)/.exec(option.flags)?.[1] ?? '', option)
}

function expect (name: string, { argChoices: choices }: Pick<Argument | Option, 'argChoices'>): Expected {
  if (choices != null) {
    return { kind: 'words', words: choices.map(word => ({ word, description: '' })) }
  }

  if (FILES.has(name)) {
    return { kind: 'file' }
  }

  return CIDS.has(name) ? { kind: 'cid' } : NOTHING
}

function prefixed (words: readonly Suggestion[], prefix: string): Expected {
  return { kind: 'words', words: words.map(({ word, description }) => ({ word: `${prefix}${word}`, description })) }
}
