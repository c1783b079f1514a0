import { describe, expect, it } from 'vitest'
import { createProgram } from '../src/program/program.ts'
import { ioOf, leavesOf, newProgram } from './programs.ts'

/** Completion and help are not among them: they need all others. */
const COMMANDS = newProgram().commands.map(command => command.name())
  .filter(name => !['version', 'completion', 'complete', 'help'].includes(name))

describe('the definition of one command', () => {
  it.each(COMMANDS)('is that among all, with fewer others: %s', first => {
    const [all, few] = [newProgram(), createProgram(ioOf(), first == null ? [] : [first])].map(program => {
      const command = program.commands.find(below => below.name() === first)
      const leaves = command == null ? [] : leavesOf(command)

      return { count: program.commands.length, help: leaves.map(leaf => leaf.helpInformation()) }
    })

    expect(few.help).toEqual(all.help)
    expect(few.help.length).toBeGreaterThan(0)
    expect(few.count).toBeLessThan(all.count)
  })

  it.each([undefined, '', 'help', 'complete', '--json', 'ad'])('is one of all for %s', first => {
    expect(createProgram(ioOf(), first == null ? [] : [first]).commands.map(command => command.name()))
      .toEqual(newProgram().commands.map(command => command.name()))
  })
})
