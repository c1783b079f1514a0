import { describe, expect, it } from 'vitest'
import { COMMAND_GROUPS, COMMON_OPTIONS, EXAMPLES } from '../src/program/help-texts.ts'
import { commandPath } from '../src/program/sections.ts'
import { leavesOf, newProgram } from './programs.ts'

const program = newProgram()
const leaves = leavesOf(program).filter(command => command.name() !== 'complete')
const paths = leaves.map(commandPath)

describe('the help', () => {
  it('has each command in one group', () => {
    const names = program.createHelp().visibleCommands(program).map(command => command.name())

    expect(COMMAND_GROUPS.flatMap(([, commands]) => commands).toSorted()).toEqual(names.toSorted())
    expect(Object.keys(COMMON_OPTIONS).filter(path => !paths.includes(path))).toEqual([])
    expect(Object.keys(EXAMPLES).filter(path => path !== '' && !paths.includes(path))).toEqual([])
  })

  it.for(leaves.map(leaf => [commandPath(leaf), leaf] as const))(
    'of %s has two examples, with options that it takes, before the global options',
    ([path, command]) => {
      const known = [...command.options, ...program.options].flatMap(({ long, short }) => [long, short])
      const lines = EXAMPLES[path].map(({ line }) => line)

      expect(lines).toHaveLength(2)

      for (const line of lines) {
        // what follows in a pipe is another command
        const [own] = line.split(/ [|>&]/)

        expect(own).toMatch(new RegExp(`^ipfsz ${path}(?: |$)`))
        expect((own.replace(/"\$\(.*\)"/, '').match(/(?<= )-{1,2}[a-zA-Z][\w-]*/g) ?? [])
          .filter(flag => !known.includes(flag))).toEqual([])
      }

      const help = command.helpInformation()
      const example = `\n  ${lines[0]}\n`
      const positions = ['Usage: ', 'Examples:\n', example, 'Global options:\n', '  --repo <dir> ', '  -h, --help ']
        .map(text => help.indexOf(text))

      expect(positions).not.toContain(-1)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      expect(command.options.filter(({ long }) => !help.includes(long ?? ''))).toEqual([])
    }
  )

  it('lists the options that most people need first', () => {
    for (const [path, common] of Object.entries(COMMON_OPTIONS)) {
      const command = leaves[paths.indexOf(path)]
      const help = command.helpInformation()
      const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, long]) => long)

      expect(listed.slice(0, common.length)).toEqual(common)
      expect(listed.slice(-6)).toEqual(['--repo', '--json', '--human', '--no-config', '--verbose', '--help'])
    }
  })

  it.for([40, 80, 200])('fits a terminal of %i columns', columns => {
    for (const command of [newProgram(columns), ...leavesOf(newProgram(columns))]) {
      const lines = command.helpInformation().split('\n').filter(line => !/^(?: {2}ipfsz |Usage: )/.test(line))

      expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns)
    }
  })
})

describe('a reader of stdout that ends early', () => {
  it.each<[string, boolean]>([
    ['pin ls', false],
    ['gc', true],
    ['gc --dry-run', false],
    ['migrate a b', true],
    ['migrate --dry-run a b', false]
  ])('is outlived only by what does more than print: %s', async (line, expected) => {
    let outlived = false
    const program = newProgram(80, { outliveReader: () => { outlived = true } })

    // none has a repo
    const run = program.parseAsync(['--repo', '/missing', ...line.split(' ')], { from: 'user' })
    await expect(run).rejects.toThrow(Error)
    expect(outlived).toBe(expected)
  })
})
